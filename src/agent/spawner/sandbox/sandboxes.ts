/**
 * The seats of sandboxes: who has one, and which are free. Read seat.ts for what a seat is,
 * staging.ts for what is mounted in it, furnish.ts and sandbox-script.ts for what a run is there.
 *
 * A pod with one container needs a seat for as long as its run takes. Containers that share a pod
 * share a network, a host name and memory: the first has the pod's seat, the others join it, and
 * all of these are given up together.
 */
import { execFile } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { removeTree } from "../../../base/remove-tree.ts";
import { slotFile } from "../pool.ts";
import { parseRunName, type SandboxOrder, type StartOrder } from "../protocol.ts";
import { Slot, type SlotEvents } from "../slot.ts";
import { findHiddenPlaces, type HiddenPlace, stampOfPlaces } from "./hidden-places.ts";
import { filesOf, type HostMount, isWithin, mountOf, parseMounts } from "./host-mounts.ts";
import { HostNetwork } from "./host-network.ts";
import { readLeader } from "./leader-facts.ts";
import { findParts } from "./root-parts.ts";
import { OWN_USERS, THOSE_USERS } from "./rootless.ts";
import { isSandboxSlot, sandboxSlot } from "./sandbox-slot.ts";
import { childOf, makeSeatFolders, NOT_STAGED, Seat, STAGED } from "./seat.ts";
import { makeSharedFiles } from "./shared-files.ts";
import type { RootParts } from "./staging.ts";
import type { Tools } from "./tools.ts";

export interface SandboxesOptions extends SlotEvents {
  /** Of the spawner. */
  readonly directory: string;
  readonly boot: string;
  readonly generation: string;
  readonly tools: Tools;
  /** A seat is ready, or will never be. */
  readonly onChange: () => void;
  /** Pods reach nothing beyond this machine, and why. */
  readonly onNoWayOut: (problem: string) => void;
  /** A process in the pod's sandbox that an earlier spawner made, if any is left. */
  readonly findElder: (pod: string) => number | undefined;
}

export type FoundSeat = Seat | { readonly problem: string } | undefined;

/** Seats being made at once: each takes some ten milliseconds of a processor. */
const MOST_MAKING = 4;
/** Seats that wait for work. */
const MOST_IDLE = 16;
/** For so long one that could not be made speaks for all. */
const PROBLEM_MS = 1000;
/** For so long the places that are to be hidden are taken as known. */
const HIDDEN_MS = 1000;

interface Hidden {
  readonly places: readonly HiddenPlace[];
  readonly sinceMs: number;
  readonly stamp: string;
}

export class Sandboxes {
  private readonly seats = new Map<Slot, Seat>();
  private readonly idle: Seat[] = [];
  private readonly network: HostNetwork | undefined;
  private readonly folder: string;
  private made = 0;
  private hidden: Hidden | undefined;
  private problem: { readonly text: string; readonly sinceMs: number } | undefined;

  constructor(private readonly options: SandboxesOptions) {
    const { directory, tools, onNoWayOut } = options;
    const { ip, translator } = tools;
    this.folder = join(directory, "sandboxes");
    if (ip === undefined) return;
    const forNetwork = { ip, ...(translator && { translator }) };
    this.network = new HostNetwork({ tools: forNetwork, directory, onNoWayOut });
  }

  /** Undefined: ask again after `onChange`. So many asked before and wait already. */
  find({ run }: StartOrder, sandbox: SandboxOrder, waiting: number): FoundSeat {
    if (this.problem && performance.now() - this.problem.sinceMs < PROBLEM_MS) {
      return { problem: this.problem.text };
    }
    const pod = parseRunName(run).podUid;
    const kin = sandbox.isAlone ? [] : this.seatsOf(pod);
    const mounts = readMounts();
    const own = kin.find((seat) => seat.isReady && this.idle.includes(seat));
    const seat = own ?? (kin.length === 0 ? this.findIdle(sandbox, mounts) : undefined);
    if (seat !== undefined) {
      this.idle.splice(this.idle.indexOf(seat), 1);
      if (!sandbox.isAlone) seat.pod = pod;
      return seat;
    }
    const making = [...this.seats.values()].filter(({ isReady }) => !isReady);
    const isMade = making.length > waiting || making.some((each) => each.pod === pod);
    if (!isMade && making.length < MOST_MAKING) this.provide(sandbox, pod, mounts);
    return undefined;
  }

  findSeat(slot: Slot): Seat | undefined {
    return this.seats.get(slot);
  }

  /** The container is over. Its seat takes another one, unless the container has changed it. */
  release(seat: Seat): void {
    const isChanged = readLeader(seat.leader) !== seat.leaderFacts;
    if (seat.pod === undefined && (isChanged || this.idle.length >= MOST_IDLE)) {
      seat.slot.dismiss();
      return;
    }
    seat.rest();
    this.idle.push(seat);
  }

  /** Nothing more is started for the pod. */
  leave(pod: string): void {
    for (const seat of this.seatsOf(pod)) seat.slot.dismiss();
  }

  /** Its slot is dead, or may be left to die. */
  drop(slot: Slot): void {
    const seat = this.seats.get(slot);
    if (seat === undefined) return;
    this.seats.delete(slot);
    seat.close();
    const at = this.idle.indexOf(seat);
    if (at >= 0) this.idle.splice(at, 1);
    if (!seat.isReady) this.fail(slot.notes().trim() || "its process is gone");
  }

  onWord(slot: Slot, word: number): void {
    const seat = this.seats.get(slot);
    if (seat === undefined) return;
    if (word === STAGED) void this.settle(seat);
    else if (word === NOT_STAGED) slot.dismiss();
    else seat.onCleared(word);
  }

  /** Files of seats that nobody is in any more. What all share is in use as long as any of them. */
  sweep(isUsed: (slot: string) => boolean): void {
    if (!existsSync(this.folder)) return;
    const names = readdirSync(this.folder).filter(isSandboxSlot);
    for (const name of names) if (!isUsed(name)) this.remove(name);
  }

  remove(slot: string): void {
    const directory = join(this.folder, slot);
    // Never what somebody has mounted there, which is not ours.
    if (readMounts().some(({ path }) => path.startsWith(directory))) return;
    if (this.options.tools.rootless !== undefined) void this.removeRootless(directory);
    else void removeTree(directory).catch(() => {});
  }

  async close({ isLast }: { readonly isLast: boolean }): Promise<void> {
    for (const { slot } of this.seats.values()) slot.dismiss();
    await this.network?.close({ removesBridge: isLast });
    if (isLast && this.options.tools.rootless) await this.removeRootless(this.folder);
  }

  /** Some of it may be closed to its own user, but not to one with the rights over it. */
  private removeRootless(directory: string): Promise<void> {
    const args = [...OWN_USERS, "rm", "-rf", directory];
    return new Promise((resolve) => {
      execFile(this.options.tools.unshare, args, () => resolve());
    });
  }

  private seatsOf(pod: string): readonly Seat[] {
    return [...this.seats.values()].filter((seat) => seat.pod === pod);
  }

  /** Best one that has the address already. */
  private findIdle(sandbox: SandboxOrder, mounts: readonly HostMount[]): Seat | undefined {
    const kind = kindOf(sandbox);
    // Without root new mounts change which folders can be layers.
    const needed = this.options.tools.rootless
      ? mounts.map(({ id }) => id)
      : sandbox.mounts.flatMap(({ source }) => mountOf(mounts, source)?.id ?? []);
    this.dismissOutdated();
    const fit = this.idle.filter(
      ({ pod, options }) =>
        pod === undefined &&
        options.kind === kind &&
        needed.every((id) => options.mountIds.has(id)),
    );
    return fit.find(({ address }) => address === sandbox.network?.address) ?? fit.pop();
  }

  /** Seats whose roots show what is to be hidden since. */
  private dismissOutdated(): void {
    const hidden = this.findHidden();
    for (const seat of [...this.idle]) {
      if (seat.pod !== undefined || seat.options.hidden === hidden) continue;
      this.idle.splice(this.idle.indexOf(seat), 1);
      seat.slot.dismiss();
    }
  }

  private provide(sandbox: SandboxOrder, pod: string, mounts: readonly HostMount[]): void {
    try {
      this.make(sandbox, pod, mounts);
    } catch (error) {
      this.fail(error instanceof Error ? error.message : String(error));
    }
  }

  private make(sandbox: SandboxOrder, pod: string, mounts: readonly HostMount[]): void {
    const { directory, generation, tools } = this.options;
    const elder = sandbox.isAlone ? undefined : this.findLeader(pod);
    const name = sandboxSlot(generation, this.made++);
    const own = join(this.folder, name);
    const shared = join(this.folder, "shared");
    makeSharedFiles(shared);
    makeSeatFolders(own);
    const parts = tools.rootless && findParts(mounts);
    const emptied = findEmptied(sandbox, parts);
    const isEmptied = (path: string) => emptied.some((each) => isWithin(path, each));
    const others = parts ? [] : filesOf(mounts).filter((path) => !isEmptied(path));
    const prefix = elder === undefined ? unshared(tools, sandbox) : joined(tools, sandbox, elder);
    const slot = new Slot({ ...this.options, name, file: slotFile(directory, name), prefix });
    const seat = new Seat({
      slot,
      directory: own,
      shared,
      tools,
      kind: kindOf(sandbox),
      hasNetwork: sandbox.network !== undefined,
      mountIds: new Set(mounts.map(({ id }) => id)),
      hidden: this.findHidden(),
      emptied,
      others,
      missing: [
        ...mounts.map(({ path }) => path).filter((path) => path !== "/" && !others.includes(path)),
        ...emptied,
      ],
      ...(parts && { parts }),
    });
    if (!sandbox.isAlone) seat.pod = pod;
    if (elder === undefined) seat.cable = sandbox.network;
    else seat.address = sandbox.network?.address;
    this.seats.set(slot, seat);
    seat.stage();
  }

  /** Looked for again after a while: other servers come and go. */
  private findHidden(): readonly HiddenPlace[] {
    const nowMs = performance.now();
    const { directory, tools } = this.options;
    const facts = {
      // The server keeps its data beside the spawner's.
      dataDir: dirname(directory),
      environment: process.env,
      isRoot: tools.rootless === undefined,
    };
    const stamp = stampOfPlaces(facts);
    const isRecent = this.hidden !== undefined && nowMs - this.hidden.sinceMs < HIDDEN_MS;
    if (isRecent && this.hidden?.stamp === stamp) return this.hidden.places;
    const places = findHiddenPlaces(facts);
    // One that was made before knows the same, unless something is new.
    const isSame = JSON.stringify(places) === JSON.stringify(this.hidden?.places);
    const kept = isSame && this.hidden ? this.hidden.places : places;
    this.hidden = { places: kept, sinceMs: nowMs, stamp };
    return kept;
  }

  private findLeader(pod: string): number | undefined {
    const [seat] = this.seatsOf(pod).filter(({ isReady }) => isReady);
    return seat?.leader ?? this.options.findElder(pod);
  }

  private async settle(seat: Seat): Promise<void> {
    const { pid } = seat.slot.identity;
    seat.leader = childOf(pid) ?? pid;
    seat.leaderFacts = readLeader(seat.leader);
    const problem = seat.cable && (await this.network?.connect(pid, seat.cable));
    if (problem !== undefined) {
      this.fail(problem);
      seat.slot.dismiss();
      return;
    }
    if (!this.seats.has(seat.slot)) return;
    seat.isReady = true;
    this.idle.push(seat);
    this.options.onChange();
  }

  private fail(text: string): void {
    this.problem = { text: `sandbox: ${text}`, sinceMs: performance.now() };
    this.options.onChange();
  }
}

function kindOf({ network, shares = [], hidesHomes }: SandboxOrder): string {
  const ofHost = shares.filter((each) => each !== "pid");
  const homes = hidesHomes ? ["homeless"] : [];
  return [network === undefined ? "host" : "own", ...ofHost, ...homes].join(" ");
}

/** What belongs to the running host, and to its users where these do not trust each other. */
function findEmptied(
  { hidesHomes }: SandboxOrder,
  parts: RootParts | undefined,
): readonly string[] {
  const paths = hidesHomes ? ["/run", ...HOMES] : ["/run"];
  const isEmpty = (path: string) => parts?.empty.includes(path.slice(1)) ?? false;
  const isFolder = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory();
  return paths.filter((path) => !isEmpty(path) && isFolder(path));
}

const HOMES = ["home", "root", "tmp", "var/tmp"].map((name) => `/${name}`);

/** The host's mounts go on to be seen as they come; nothing goes back. */
function unshared(tools: Tools, { network, shares = [] }: SandboxOrder): readonly string[] {
  return [
    tools.unshare,
    ...(tools.rootless ? OWN_USERS : []),
    ...["--mount", "--propagation=slave", "--uts"],
    ...(shares.includes("hostIpc") ? [] : ["--ipc"]),
    ...(network === undefined ? [] : ["--net"]),
    ...treeOf(shares.includes("hostPid")),
  ];
}

function joined(tools: Tools, { shares = [] }: SandboxOrder, elder: number): readonly string[] {
  const isShared = shares.includes("pid") || shares.includes("hostPid");
  const around = tools.rootless ? THOSE_USERS : ["--net"];
  const enter = [...around, "--mount", "--uts", "--ipc", ...(isShared ? ["--pid"] : [])];
  return [
    tools.nsenter,
    `--target=${elder}`,
    ...enter,
    ...(isShared ? [] : [tools.unshare, ...treeOf(false)]),
  ];
}

function treeOf(isOfHost: boolean): readonly string[] {
  return isOfHost ? ["--fork", "--kill-child"] : ["--pid", "--fork", "--kill-child"];
}

function readMounts(): readonly HostMount[] {
  return parseMounts(readFileSync("/proc/self/mountinfo", "utf8"));
}
