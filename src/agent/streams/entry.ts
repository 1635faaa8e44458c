/**
 * How a command gets to where the process of a run is: into its namespaces and its root, as its
 * user, if these are not the host's. What the process itself is tells: nothing is remembered.
 */
import { existsSync, readFileSync, readlinkSync } from "node:fs";

const NSENTER = ["/usr/bin/nsenter", "/bin/nsenter"];
const KINDS = { mnt: "--mount", uts: "--uts", ipc: "--ipc", net: "--net", pid: "--pid" } as const;

/** The words before the command, none for a process of the host. The pid is of its shell. */
export function findEntry(shell: number, directory: string): readonly string[] {
  const pid = findChild(shell);
  if (pid === undefined) return [];
  const kinds = Object.entries(KINDS).filter(([kind]) => namespaceOf(pid, kind) !== own(kind));
  if (!kinds.some(([kind]) => kind === "mnt")) return [];
  const nsenter = NSENTER.find((path) => existsSync(path));
  if (nsenter === undefined) throw new Error("the program nsenter is missing");
  return [
    nsenter,
    `--target=${pid}`,
    ...kinds.map(([, flag]) => flag),
    "--root",
    `--wdns=${directory}`,
    ...composePrivileges(read(`/proc/${pid}/status`), read("/proc/self/status")),
  ];
}

/** What a shell runs is its child. */
function findChild(shell: number): number | undefined {
  const [first] = read(`/proc/${shell}/task/${shell}/children`).split(" ");
  return first === undefined || first === "" ? undefined : Number(first);
}

function own(kind: string): string | undefined {
  return namespaceOf("self", kind);
}

function namespaceOf(pid: number | "self", kind: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/${kind}`);
  } catch {
    return undefined;
  }
}

/** A command may do no more than the process it is beside. */
export function composePrivileges(status: string, ownStatus: string): readonly string[] {
  const [uid, gid] = [fieldOf(status, "Uid"), fieldOf(status, "Gid")].map(
    (ids) => ids.split("\t")[1],
  );
  const groups = fieldOf(status, "Groups").trim().split(" ").join(",");
  const bounds = fieldOf(status, "CapBnd");
  const isBound = bounds !== fieldOf(ownStatus, "CapBnd");
  const isOther = uid !== "0" || gid !== "0" || groups !== ownGroups(ownStatus);
  const words = [
    ...(isBound ? [`--bounding-set=${["-all", ...capabilitiesIn(bounds)].join(",")}`] : []),
    ...(fieldOf(status, "NoNewPrivs") === "1" ? ["--no-new-privs"] : []),
    ...(isOther ? [`--reuid=${uid}`, `--regid=${gid}`] : []),
    ...(isOther ? [groups === "" ? "--clear-groups" : `--groups=${groups}`] : []),
  ];
  return words.length === 0 ? [] : [SETPRIV, ...words];
}

const SETPRIV = "/usr/bin/setpriv";

function ownGroups(status: string): string {
  return fieldOf(status, "Groups").trim().split(" ").join(",");
}

function fieldOf(status: string, name: string): string {
  return new RegExp(`^${name}:\t(.*)$`, "m").exec(status)?.[1] ?? "";
}

/** By their numbers, as "+cap_12". */
function capabilitiesIn(mask: string): readonly string[] {
  const bits = BigInt(`0x${mask || "0"}`);
  const numbers = Array.from({ length: 64 }, (_, number) => number);
  return numbers.filter((number) => (bits >> BigInt(number)) & 1n).map((each) => `+cap_${each}`);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
