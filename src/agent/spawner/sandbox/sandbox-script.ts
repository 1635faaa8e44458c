/**
 * Pure: one run in a sandbox as one line of shell, for the slot that leads the sandbox's process
 * tree. Beyond what script.ts says of every run, the slot
 *
 * 1. names its host and puts its address in place,
 * 2. mounts what the run has besides its root,
 * 3. enters the root, gives up what the run may not do, and becomes the command,
 * 4. and ends whatever the run has left behind, before it tells of its end.
 *
 * What is in the way of 1 and 2 is a remark in the slot's file: the run has never begun.
 */
import type { SandboxUser } from "../../runtimes/runtime.ts";
import type { SandboxOrder, StartOrder } from "../protocol.ts";
import { quote } from "../quote.ts";
import { composeAssignments, composeFiles, ENV, type ScriptFacts } from "../script.ts";
import { asOneself, NO_RIGHTS } from "./rootless.ts";
import type { Tools } from "./tools.ts";

export interface SandboxFacts extends ScriptFacts {
  /** Of the host, absolute: where the run's root is mounted. */
  readonly root: string;
  readonly tools: Tools;
  /** Files with orders for ip(8) and mounts for mount(8), where there are any. */
  readonly addressFile?: string;
  readonly mountFile?: string;
  /** To be made below the root before anything is mounted there. */
  readonly folders: readonly string[];
  readonly files: readonly string[];
  /** What has to be found where parts of volumes are mounted: "DEVICE:INODE". */
  readonly identities?: readonly (readonly [path: string, identity: string])[];
}

export function composeSandboxScript(
  order: StartOrder,
  sandbox: SandboxOrder,
  facts: SandboxFacts,
): string {
  const { number, root } = facts;
  const prepare = [...preparations(sandbox, facts), `[ -e ${quote(`${root}/proc/self`)} ]`];
  const guard = `{ ${prepare.join("&&")}||{ echo "sandbox: it could not be prepared">&2;false;};}`;
  const run = `(${composeEntry(order, sandbox, facts)} ${composeFiles(order)})`;
  // Others of the pod, or of the host, are in the same tree.
  const isShared = sandbox.shares?.some((each) => each !== "hostIpc");
  const sweep = !isShared ? "kill -9 -1 2>/dev/null;" : "";
  const end = `s=$?;${sweep}echo "e ${number} $s">&2;echo "${number} $s"`;
  return `echo "b ${number}">&2;${guard}&&${run};${end}\n`;
}

function preparations(
  { hostname, sysctls = [] }: SandboxOrder,
  facts: SandboxFacts,
): readonly string[] {
  const { tools, addressFile, mountFile, folders, files, identities = [] } = facts;
  const made = [...folders, ...files.map((path) => parentOf(path))];
  return [
    composeHostname(hostname, tools),
    ...sysctls.map(([name, value]) => `echo ${quote(value)}>${quote(sysctlFile(name))}`),
    ...(addressFile === undefined ? [] : [`${tools.ip} -batch ${quote(addressFile)}`]),
    ...(made.length === 0 ? [] : [`mkdir -p ${made.map(quote).join(" ")}`]),
    ...files.map((path) => `:>>${quote(path)}`),
    ...(mountFile === undefined ? [] : [`${tools.mount} -a -T ${quote(mountFile)}`]),
    // Whoever writes to the volume may have put a link in the place of what was to be mounted.
    ...identities.map(([path, found]) => `[ "$(stat -c %d:%i ${quote(path)})" = ${found} ]`),
  ];
}

/** The file is root's alone. */
function composeHostname(hostname: string, { rootless }: Tools): string {
  if (rootless !== undefined) return `${quote(rootless.hostname)} ${quote(hostname)}`;
  return `echo ${quote(hostname)}>/proc/sys/kernel/hostname`;
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

/** The separator that comes first is the one of folders: the other is part of a name. */
function sysctlFile(name: string): string {
  const isDotted = /[./]/.exec(name)?.[0] === ".";
  const swap = (each: string) => (each === "." ? "/" : ".");
  return `/proc/sys/${isDotted ? name.replace(/[./]/g, swap) : name}`;
}

function composeEntry(order: StartOrder, sandbox: SandboxOrder, facts: SandboxFacts): string {
  const { root, tools } = facts;
  const { assignments, words } = composeAssignments(order, facts, RISKY_VARIABLES);
  const messages = hasOwnMessages(sandbox) ? ["--ipc"] : [];
  const user = tools.rootless ? asOneself(tools.rootless) : [];
  const enter = [...confinement(sandbox, tools), tools.unshare, ...messages, ...user];
  const place = [`--root=${root}`, "--wd=/"];
  const prefix = [
    ...enter,
    ...place,
    ...composePrivileges(sandbox, tools),
    ...composeDirectory(order.directory),
  ];
  return `${assignments}${prefix.map(quote).join(" ")} ${words}`;
}

/**
 * Entered from the root, and with no more rights than the run has: a link to another root, as there
 * are in /proc, does not lead anywhere then.
 */
function composeDirectory(directory: string): readonly string[] {
  return directory === "/" ? [] : [ENV, `--chdir=${directory}`];
}

/** First of all, while it is found among the files of the host. The privileged are not confined. */
function confinement({ capabilities }: SandboxOrder, { confine }: Tools): readonly string[] {
  return confine === undefined || capabilities === undefined ? [] : [confine];
}

/** Of one run alone: nothing of it is left to the next in the same seat. */
function hasOwnMessages({ isAlone, shares = [] }: SandboxOrder): boolean {
  return isAlone && !shares.includes("hostIpc");
}

function composePrivileges(sandbox: SandboxOrder, { setpriv, rootless }: Tools): readonly string[] {
  const { user, capabilities, mayGainPrivileges } = sandbox;
  const bounding = capabilities?.map((name) => `+${name.toLowerCase()}`);
  return [
    setpriv,
    ...(bounding === undefined ? [] : [`--bounding-set=${["-all", ...bounding].join(",")}`]),
    ...(rootless === undefined ? composeUser(user) : NO_RIGHTS),
    ...(mayGainPrivileges ? [] : ["--no-new-privs"]),
  ];
}

function composeUser({ uid, gid, groups }: SandboxUser): readonly string[] {
  const others = groups.length === 0 ? ["--clear-groups"] : [`--groups=${groups.join(",")}`];
  // The slot is root, and to look for a user costs.
  return uid === 0 && gid === 0 ? others : [`--reuid=${uid}`, `--regid=${gid}`, ...others];
}

/** They would change what unshare and setpriv do while these still have the server's rights. */
export const RISKY_VARIABLES =
  /^(LD_|GLIBC_|GCONV_PATH$|LOCPATH$|NLSPATH$|MALLOC_|LIBMOUNT_|CAPNG_)/;
