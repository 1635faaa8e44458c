/**
 * Pure: what a sandbox's slot mounts before any run, in a mount namespace of its own and below its
 * directory. Runs have it at /dev, /proc and /sys.
 *
 *   mounted/dev   devices that every container has, and no others
 *   mounted/proc  of the slot's process tree; mounted/sys of its network
 *   roots/N/{upper,work,message}, mounted/N   one for each run: see `rootTable`
 *
 * A volume may be a folder that the slot's directory is in. Nothing that is mounted here is in it:
 * otherwise each run would have all roots before it, and each of these those before them.
 */
import type { HiddenPlace } from "./hidden-places.ts";
import { bind, type Entry } from "./mount-table.ts";
import type { RootMount } from "./root-mounts.ts";

export interface StagingFacts {
  /** Of the slot. */
  readonly directory: string;
  /** Of what all sandboxes share: see shared-files.ts. */
  readonly shared: string;
  /** Whether a path is there on this host. */
  readonly exists: (path: string) => boolean;
  /** Without a network of its own a slot may only show the host's. */
  readonly hasNetwork: boolean;
  /** The helper program of the host. */
  readonly confine: string;
}

const CONFINE = "confine";

/** Where the slot has the helper program, once it is staged. The argument is its directory. */
export function stagedConfine(directory: string): string {
  return `${directory}/${MOUNTED}/${CONFINE}`;
}

const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"];

/** What tells of the host or changes it, as container runtimes mask it. */
const HIDDEN_FILES = ["kcore", "keys", "latency_stats", "timer_list", "timer_stats", "sched_debug"];
const HIDDEN_FOLDERS = ["proc/acpi", "proc/asound", "proc/scsi", "sys/firmware"];
const READ_ONLY = ["bus", "fs", "irq", "sys", "sysrq-trigger"];

/** The file that every root has for it. */
export const DEFAULT_MESSAGE_PATH = "/dev/termination-log";

export const DEVICE_FILES: readonly string[] = [...DEVICES, "termination-log"];
export const DEVICE_FOLDERS: readonly string[] = ["pts", "shm", "mqueue"];
export const DEVICE_LINKS: readonly (readonly [name: string, target: string])[] = [
  ["fd", "/proc/self/fd"],
  ["stdin", "/proc/self/fd/0"],
  ["stdout", "/proc/self/fd/1"],
  ["stderr", "/proc/self/fd/2"],
  ["ptmx", "pts/ptmx"],
];

const MOUNTED = "mounted";

export const STAGED_FILES: readonly string[] = [`${MOUNTED}/${CONFINE}`];
export const STAGED_FOLDERS: readonly string[] = [
  "roots",
  ...["dev", "proc", "sys"].map((name) => `${MOUNTED}/${name}`),
];

export function stagingTable(facts: StagingFacts): readonly Entry[] {
  const { directory, shared, exists, hasNetwork, confine } = facts;
  const mounted = `${directory}/${MOUNTED}`;
  const at = (path: string) => `${mounted}/${path}`;
  const proc = (names: readonly string[]) =>
    names.map((name) => `proc/${name}`).filter((path) => exists(`/${path}`));
  return [
    bind(mounted, mounted, "bind,unbindable"),
    bind(`${shared}/dev`, at("dev"), "bind,ro"),
    // Read-only: containers use the devices of the host, but must not change owners and modes.
    ...DEVICES.map((name) => bind(`/dev/${name}`, at(`dev/${name}`), "bind,ro")),
    // Read-only: a container can open it by /proc/PID/exe, and must not write to it.
    bind(confine, at(CONFINE), "bind,ro"),
    { source: "devpts", target: at("dev/pts"), type: "devpts", options: TERMINALS },
    { source: "proc", target: at("proc"), type: "proc", options: "nosuid,noexec,nodev" },
    hasNetwork
      ? { source: "sysfs", target: at("sys"), type: "sysfs", options: "ro,nosuid,noexec,nodev" }
      : bind("/sys", at("sys"), "rbind,ro"),
    ...proc(READ_ONLY).map((path) => bind(at(path), at(path), "bind,ro")),
    ...proc(HIDDEN_FILES).map((path) => bind("/dev/null", at(path))),
    ...HIDDEN_FOLDERS.filter((path) => exists(`/${path}`)).map((path) =>
      bind(`${shared}/empty`, at(path), "bind,ro"),
    ),
  ];
}

const TERMINALS = "newinstance,ptmxmode=0666,mode=0620,nosuid,noexec";

/** Of a root that is not the host's as a whole: see root-parts.ts. */
export interface RootParts {
  /** "etc": copied when something is written to them. */
  readonly layers: readonly Layer[];
  /** "mnt": those of the host. */
  readonly shared: readonly string[];
  /** "run": there, with nothing in them. */
  readonly empty: readonly string[];
  readonly links: readonly (readonly [name: string, target: string])[];
}

export interface Layer {
  readonly name: string;
  readonly mode: number;
}

export interface RootFacts {
  /** Of the slot. */
  readonly directory: string;
  readonly number: number;
  /** Folders that begin with nothing in them, whatever the host has there. */
  readonly emptied: readonly string[];
  /** File systems of the host besides that of its root. */
  readonly others: readonly string[];
  /** Absent: the server is root, and the root of the host can be had as a whole. */
  readonly parts?: RootParts;
}

/** Below the slot's directory. */
export function rootFolder(number: number): string {
  return `roots/${number}`;
}

/** Below the slot's directory: where the root is mounted. */
export function mountFolder(number: number): string {
  return `${MOUNTED}/${number}`;
}

/** Below the root's folder. */
export function emptiedFolder(at: number): string {
  return `emptied-${at}`;
}

/** A root that is the host's, with all that is written to it kept apart. */
export function rootTable(facts: RootFacts): readonly Entry[] {
  const { directory, number, emptied } = facts;
  const folder = rootFolder(number);
  const mounted = `${directory}/${MOUNTED}`;
  const root = `${directory}/${mountFolder(number)}`;
  return [
    ...layerTable(facts, { folder, root }),
    ...emptied.map((path, at) =>
      bind(`${directory}/${folder}/${emptiedFolder(at)}`, `${root}${path}`, "bind,nodev"),
    ),
    bind(`${mounted}/dev`, `${root}/dev`, "rbind"),
    bind(`${mounted}/proc`, `${root}/proc`, "rbind"),
    bind(`${mounted}/sys`, `${root}/sys`, "rbind"),
    { source: "shm", target: `${root}/dev/shm`, type: "tmpfs", options: SHARED_MEMORY },
    bind(`${directory}/${folder}/message`, `${root}/dev/termination-log`),
  ];
}

/**
 * What a root hides, to be mounted after `rootTable`. Users of the host own some of these files and
 * could put links in their place: such files are not mounted over, because a link would lead the
 * mount elsewhere. They are not hidden then, and the link itself shows nothing.
 */
export function hiddenTable({ shared, hidden }: HiddenFacts): readonly RootMount[] {
  return hidden.map(({ path, isFolder }) => ({
    flags: isFolder ? "dpnr" : "pnr",
    source: `${shared}/${isFolder ? "empty" : "nothing"}`,
    target: path,
  }));
}

export type HiddenFacts = Pick<StagingFacts, "shared"> & {
  /** What no container may see: what this server and others keep. */
  readonly hidden: readonly HiddenPlace[];
};

/** If a slot shows the /sys of the host: it is read-only with all that is mounted there. */
export const READ_ONLY_SYS: readonly RootMount[] = [{ flags: "dprR", target: "/sys" }];

function layerTable(
  { directory, others, parts }: RootFacts,
  { folder, root }: { readonly folder: string; readonly root: string },
): readonly Entry[] {
  if (parts === undefined) {
    const more = others.map((path, at) =>
      overlay(path, { folder, name: `-${at}`, target: root + path }),
    );
    return [overlay("/", { folder, name: "", target: root }), ...more];
  }
  return [
    bind(`${directory}/${folder}/base`, root),
    ...parts.layers.map(({ name }) => {
      const layer = { folder, name: `/${name}`, target: `${root}/${name}` };
      return overlay(`/${name}`, layer, ",userxattr");
    }),
    ...parts.shared.map((name) => bind(`/${name}`, `${root}/${name}`, "rbind")),
  ];
}

const SHARED_MEMORY = "size=64m,mode=1777,nosuid,nodev,noexec";

interface Layers {
  readonly folder: string;
  readonly name: string;
  readonly target: string;
}

/**
 * Its layers are named from the slot's directory, which the slot is in: options have separators
 * that paths may contain.
 */
function overlay(lower: string, { folder, name, target }: Layers, more = ""): Entry {
  const upper = `upperdir=${folder}/upper${name},workdir=${folder}/work${name}`;
  // Nothing of it outlives the run: there is no need to write it to disk when it ends.
  const options = `lowerdir=${escapeLayer(lower)},${upper},volatile,nodev${more}`;
  return { source: "overlay", target, type: "overlay", options };
}

function escapeLayer(path: string): string {
  return path.replace(/[\\:,]/g, (each) => `\\${each}`);
}
