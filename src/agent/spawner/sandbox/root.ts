/**
 * The folder of one root: the layers that are written to, what the kernel needs beside them, and a
 * file for last words. It is the host's that look at it, while the sandbox has it mounted.
 */
import {
  chmodSync,
  type Dirent,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { emptiedFolder, type RootParts } from "./staging.ts";

export interface RootPlan {
  /** File systems of the host that it has besides that of the host's root. */
  readonly others: readonly string[];
  /** Folders that begin with nothing in them. */
  readonly emptied: readonly string[];
  /** Absent: the host's root is had as a whole. */
  readonly parts?: RootParts;
}

export class Root {
  /** Something is mounted in it, or has another name outside. */
  isSpoilt = false;
  private readonly layers: readonly string[];
  private readonly owners: string;

  constructor(
    readonly number: number,
    readonly folder: string,
    /** Where the sandbox has it. */
    readonly path: string,
    private readonly plan: RootPlan,
  ) {
    mkdirSync(path);
    const layers = plan.parts
      ? makeParts(folder, plan.parts)
      : makeWhole(folder, plan.others.length);
    this.layers = [...layers, ...makeEmptied(folder, plan.emptied)];
    for (const name of NAMED) writeFileSync(join(folder, "upper/etc", name), "");
    writeFileSync(this.messageFile, "");
    chmodSync(this.messageFile, 0o666);
    this.owners = this.readOwners();
  }

  /** It is there once the root hides what it must. */
  get hiddenFile(): string {
    return join(this.folder, HIDDEN);
  }

  get messageFile(): string {
    return join(this.folder, "message");
  }

  /** Paths in the root: what is mounted there, and becomes read-only if the root does. */
  get mounted(): readonly string[] {
    const { layers = [], shared = [] } = this.plan.parts ?? {};
    const { others, emptied } = this.plan;
    const names = [...others, ...layers.map(({ name }) => name), ...shared, ...emptied];
    return ["/", ...names.map((name) => join("/", name))];
  }

  /** As /etc/NAME: always the same file, since the sandbox may have looked at it before. */
  write(name: (typeof NAMED)[number], text: string | Buffer): void {
    writeFileSync(this.fileOf(name), text);
  }

  /** On the host. Open it before the container begins, which may put a link in its place. */
  fileOf(name: (typeof NAMED)[number]): string {
    return join(this.folder, "upper/etc", name);
  }

  /** Whatever was written, removed or renamed has left its trace in a layer. */
  isAsFound(leader: number): boolean {
    if (this.isSpoilt || statSync(this.messageFile).size > 0) return false;
    const sharedMemory = `/proc/${leader}/root${this.path}/dev/shm`;
    if (this.readOwners() !== this.owners || modeOf(sharedMemory) !== SHARED_MEMORY) return false;
    const { parts } = this.plan;
    const names = parts?.layers.map(({ name }) => name) ?? ["etc"];
    return (
      hasOnly(join(this.folder, "upper"), names) &&
      (parts === undefined ||
        hasOnly(join(this.folder, "base"), topOf(parts), parts.links.length)) &&
      hasOnly(join(this.folder, "upper/etc"), NAMED) &&
      this.layers.every((path) => hasOnly(path, [])) &&
      hasOnly(sharedMemory, [])
    );
  }

  /** Modes and owners of all that is written to. A container may change them and leave no file. */
  private readOwners(): string {
    const names = NAMED.map((name) => join("upper/etc", name));
    const own = ["upper", "upper/etc", ...names].map((name) => join(this.folder, name));
    const paths = [...own, ...this.layers, this.messageFile];
    const facts = paths.map((path) => lstatSync(path, { throwIfNoEntry: false }));
    return facts.map((stat) => stat && [stat.mode, stat.uid, stat.gid].join()).join(" ");
  }
}

const NAMED = ["hosts", "resolv.conf"] as const;
/** In the folder of a root, once everything is mounted that hides files of the host. */
export const HIDDEN = "hidden";
const SHARED_MEMORY = 0o1777;

function modeOf(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return (stat?.mode ?? 0) & 0o7777;
}

/** Answers with the layers that begin with nothing in them. */
function makeWhole(folder: string, others: number): readonly string[] {
  const more = Array.from({ length: others }, (_, at) => `upper-${at}`);
  const uppers = ["upper", ...more];
  const works = uppers.map((name) => name.replace("upper", "work"));
  for (const name of ["", ...uppers, "upper/etc", ...works]) mkdirSync(join(folder, name));
  return more.map((name) => join(folder, name));
}

function makeEmptied(folder: string, emptied: readonly string[]): readonly string[] {
  return emptied.map((path, at) => {
    const own = join(folder, emptiedFolder(at));
    mkdirSync(own);
    chmodSync(own, path.endsWith("/tmp") ? 0o1777 : 0o755);
    return own;
  });
}

function makeParts(folder: string, parts: RootParts): readonly string[] {
  const { layers, links } = parts;
  for (const name of ["", "base", "upper", "work"]) mkdirSync(join(folder, name));
  for (const name of topOf(parts)) mkdirSync(join(folder, "base", name));
  for (const [name, target] of links) symlinkSync(target, join(folder, "base", name));
  for (const { name, mode } of layers) {
    mkdirSync(join(folder, "work", name));
    mkdirSync(join(folder, "upper", name));
    // What is mounted has the mode of its layer.
    chmodSync(join(folder, "upper", name), mode | OWNER);
  }
  return layers.filter(({ name }) => name !== "etc").map(({ name }) => join(folder, "upper", name));
}

const OWNER = 0o700;

function topOf({ layers, shared, empty }: RootParts): readonly string[] {
  return [...layers.map(({ name }) => name), ...shared, ...empty];
}

function hasOnly(directory: string, names: readonly string[], links = 0): boolean {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    // What is removed is a device in its place.
    const isKnown = (each: Dirent) =>
      (names.includes(each.name) && (each.isFile() || each.isDirectory())) ||
      (links > 0 && each.isSymbolicLink());
    return entries.length === names.length + links && entries.every(isKnown);
  } catch {
    return false;
  }
}
