/**
 * A place for runs in a sandbox: a slot that leads a process tree of its own, with its own mounts,
 * host name and network. Runs come one after the other, each with a root of its own. To mount one
 * costs as much as a short run does: they are made several at a time and before they are asked for,
 * and one that was left as it was found is given to the next run.
 */
import {
  closeSync,
  existsSync,
  type FSWatcher,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  watch,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { assert } from "../../../base/assert.ts";
import { removeTree } from "../../../base/remove-tree.ts";
import type { SandboxNetwork } from "../../runtimes/runtime.ts";
import { quote } from "../quote.ts";
import type { Slot } from "../slot.ts";
import type { HiddenPlace } from "./hidden-places.ts";
import { isWithin } from "./host-mounts.ts";
import { formatTable } from "./mount-table.ts";
import { HIDDEN, Root } from "./root.ts";
import { formatRootMounts } from "./root-mounts.ts";
import {
  hiddenTable,
  mountFolder,
  READ_ONLY_SYS,
  type RootParts,
  rootFolder,
  rootTable,
  STAGED_FILES,
  STAGED_FOLDERS,
  stagedConfine,
  stagingTable,
} from "./staging.ts";
import type { Tools } from "./tools.ts";

export interface SeatOptions {
  readonly slot: Slot;
  readonly directory: string;
  readonly shared: string;
  readonly tools: Tools;
  /** Seats of one kind can take each other's place. */
  readonly kind: string;
  readonly hasNetwork: boolean;
  /** Ids of the host's mounts when it was made: it may not see those that came later. */
  readonly mountIds: ReadonlySet<string>;
  readonly hidden: readonly HiddenPlace[];
  readonly emptied: readonly string[];
  /** File systems of the host besides that of the root that roots have. */
  readonly others: readonly string[];
  /** And those that they do not have. */
  readonly missing: readonly string[];
  /** Of which roots are made where the server is not root. */
  readonly parts?: RootParts;
}

/** Words that a slot says besides the ends of runs: "0 WORD". */
export const STAGED = 0;
export const NOT_STAGED = 1;
const FIRST_CLEARED = 2;

const MOST_ROOTS = 8;

/**
 * Keeps errors of mount(8) out of the slot's own file, where they would be taken for remarks on a
 * run. The slot does not keep this file open: its runs would inherit it.
 */
const APART = "2>>trouble";

export class Seat {
  /** It can take a run: its network is there. */
  isReady = false;
  /** Whose containers it is for, where these share something. */
  pod: string | undefined;
  /** The network that it is to be connected to. */
  cable: SandboxNetwork | undefined;
  /** The one that its network has. */
  address: string | undefined;
  /** The process that leads its tree, as the host numbers it. */
  leader = 0;
  /** See leader-facts.ts. */
  leaderFacts = "";
  private readonly free: Root[] = [];
  private current: Root | undefined;
  private used: number[] = [];
  private readonly clearing = new Map<number, readonly number[]>();
  private following: FSWatcher | undefined;
  private lastRoot = 0;
  private batch = 1;

  constructor(readonly options: SeatOptions) {}

  get slot(): Slot {
    return this.options.slot;
  }

  get directory(): string {
    return this.options.directory;
  }

  /** The helper program, once it is staged. */
  get confine(): string {
    return stagedConfine(this.directory);
  }

  /** Answered by a word. */
  stage(): void {
    const { directory, shared, hasNetwork, tools } = this.options;
    const { confine } = tools;
    const table = stagingTable({ directory, shared, hasNetwork, confine, exists: existsSync });
    writeFileSync(join(directory, "staging"), formatTable(table), OWNERS);
    writeFileSync(join(directory, "sys"), formatRootMounts(READ_ONLY_SYS), OWNERS);
    const hidden = this.options.hidden.filter((each) => this.shows(each));
    writeFileSync(
      join(directory, HIDDEN),
      formatRootMounts(hiddenTable({ shared, hidden })),
      OWNERS,
    );
    // Made here, since the slot has the umask of its runs.
    writeFileSync(join(directory, "trouble"), "", OWNERS);
    const sys = hasNetwork ? "" : `&&${quote(confine)} mount mounted sys ${APART}`;
    const mount = `${tools.mount} -a -T staging ${APART}${sys}`;
    // What a run leaves when it crashes would be in a root that goes with it.
    const go = `ulimit -S -c 0;cd ${quote(directory)}`;
    this.slot.write(
      `${go}&&${mount}&&echo "0 ${STAGED}"||{ cat trouble>&2;echo "0 ${NOT_STAGED}";}\n`,
    );
  }

  /** A root that is mounted by the time the slot reads what it is given next. */
  takeRoot(): Root {
    if (this.free.length === 0) this.makeRoots();
    const root = this.free.shift();
    assert(root !== undefined, "roots were made");
    this.current = root;
    return root;
  }

  /** Changes of the file reach the container while it runs: peers come and go. */
  follow(hosts: string, root: Root): void {
    // Opened once: the container may put a link to a file of the host in its place.
    const file = openSync(root.fileOf("hosts"), "r+");
    this.following = watch(hosts, () => {
      try {
        const text = readFileSync(hosts);
        ftruncateSync(file);
        writeSync(file, text, 0, text.length, 0);
      } catch {
        // The pod is being removed, with its files.
      }
    });
    this.following.on("error", () => {});
    this.following.on("close", () => closeSync(file));
  }

  /** Between two runs. */
  rest(): void {
    const root = this.current;
    this.current = undefined;
    this.close();
    if (root?.isAsFound(this.leader)) this.free.unshift(root);
    else if (root !== undefined) this.used.push(root.number);
    if (this.free.length > 0) return;
    this.batch = Math.min(MOST_ROOTS, 2 * this.batch);
    this.clearRoots();
    this.makeRoots();
  }

  close(): void {
    this.following?.close();
    this.following = undefined;
  }

  /** A word that is none of ours is no harm. */
  onCleared(word: number): void {
    const numbers = this.clearing.get(word - FIRST_CLEARED) ?? [];
    this.clearing.delete(word - FIRST_CLEARED);
    for (const folder of numbers.flatMap(foldersOf)) {
      void removeTree(join(this.directory, folder)).catch(() => {});
    }
  }

  private clearRoots(): void {
    const [first] = this.used;
    if (first === undefined) return;
    this.clearing.set(first, this.used);
    const { tools, parts } = this.options;
    const umount = `${tools.umount} -l ${this.used.map(mountFolder).join(" ")} ${APART}`;
    // Of what a run has made there some may be closed to its own user, but not to the slot.
    const remove = parts ? `&&rm -rf ${this.used.flatMap(foldersOf).join(" ")} ${APART}` : "";
    this.used = [];
    // In a fork: without a spawner, echo dies of SIGPIPE, and the slot may have an order to read.
    this.slot.write(`${umount}${remove}&&(echo "0 ${FIRST_CLEARED + first}")\n`);
  }

  /** Whether it would be in the root. What is missing there needs no mount to be hidden. */
  private shows({ path }: HiddenPlace): boolean {
    const { parts, emptied, missing } = this.options;
    return !(parts ? emptied : missing).some((each) => isWithin(path, each));
  }

  private makeRoots(): void {
    const { directory, emptied, others, parts, tools } = this.options;
    const plan = { others, emptied, ...(parts && { parts }) };
    let [table, hide] = ["", ""];
    const first = this.lastRoot + 1;
    for (let count = 0; count < this.batch; count++) {
      const number = ++this.lastRoot;
      const [folder, mounted] = [rootFolder(number), mountFolder(number)];
      this.free.push(new Root(number, join(directory, folder), join(directory, mounted), plan));
      table += formatTable(rootTable({ directory, number, ...plan }));
      hide += `${quote(this.confine)} mount ${mounted} ${HIDDEN} ${APART}&&:>${folder}/${HIDDEN}\n`;
    }
    writeFileSync(join(directory, `roots-${first}`), table, OWNERS);
    this.slot.write(`${tools.mount} -a -T roots-${first} ${APART}\n${hide}`);
  }
}

function foldersOf(number: number): readonly string[] {
  return [rootFolder(number), mountFolder(number)];
}

/** Files beside the roots are no part of what runs see. */
const OWNERS = { mode: 0o600 };

export function makeSeatFolders(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const folder of STAGED_FOLDERS) mkdirSync(join(directory, folder), { recursive: true });
  for (const file of STAGED_FILES) writeFileSync(join(directory, file), "");
}

/** The first child of a process, as the host numbers it. */
export function childOf(pid: number): number | undefined {
  try {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ");
    return child ? Number(child) : undefined;
  } catch {
    return undefined;
  }
}
