/**
 * Pure: one container in a sandbox as one line of shell, for the slot that leads the sandbox's
 * process tree. Beyond what script.ts describes, the slot
 *
 * 1. sets the host name and the address,
 * 2. mounts the volumes,
 * 3. enters the root, gives up rights, and becomes the command,
 * 4. and ends all processes that are left, before it reports the end.
 *
 * Errors of 1 and 2 go to the slot's file: the container has never begun.
 */
import { capabilityMask } from "../../runtimes/sandbox/capabilities.ts";
import type { SandboxOrder, StartOrder } from "../protocol.ts";
import { quote } from "../quote.ts";
import { composeAssignments, composeFiles, type ScriptFacts } from "../script.ts";
import { asOneself } from "./rootless.ts";
import type { Tools } from "./tools.ts";

export interface SandboxFacts extends ScriptFacts {
  /** Of the host, absolute: where the run's root is mounted. */
  readonly root: string;
  /** It is there if the root hides the files that no container may see. */
  readonly hiddenFile: string;
  readonly tools: Tools;
  /** Commands for ip(8), if the address changes. */
  readonly addressFile?: string;
  /** A table of mounts for confine.c, if there are any. */
  readonly mountFile?: string;
}

export function composeSandboxScript(
  order: StartOrder,
  sandbox: SandboxOrder,
  facts: SandboxFacts,
): string {
  const { number, root, hiddenFile } = facts;
  const isMade = [`${root}/proc/self`, hiddenFile].map((file) => `[ -e ${quote(file)} ]`);
  const prepare = [...preparations(sandbox, facts), ...isMade];
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
  { root, tools, addressFile, mountFile }: SandboxFacts,
): readonly string[] {
  const mount = [tools.confine, "mount", root, mountFile ?? ""].map(quote).join(" ");
  return [
    composeHostname(hostname, tools),
    ...sysctls.map(([name, value]) => `echo ${quote(value)}>${quote(sysctlFile(name))}`),
    ...(addressFile === undefined ? [] : [`${tools.ip} -batch ${quote(addressFile)}`]),
    ...(mountFile === undefined ? [] : [mount]),
  ];
}

/** The file is root's alone. */
function composeHostname(hostname: string, { rootless }: Tools): string {
  if (rootless !== undefined) return `${quote(rootless.hostname)} ${quote(hostname)}`;
  return `echo ${quote(hostname)}>/proc/sys/kernel/hostname`;
}

/** The separator that comes first is the one of folders: the other is part of a name. */
function sysctlFile(name: string): string {
  const isDotted = /[./]/.exec(name)?.[0] === ".";
  const swap = (each: string) => (each === "." ? "/" : ".");
  return `/proc/sys/${isDotted ? name.replace(/[./]/g, swap) : name}`;
}

function composeEntry(order: StartOrder, sandbox: SandboxOrder, facts: SandboxFacts): string {
  const { root, tools } = facts;
  const late = tools.rootless ? RISKY_VARIABLES : undefined;
  const { assignments, words } = composeAssignments(order, facts, late);
  const prefix = [
    ...(tools.rootless ? [tools.unshare, ...asOneself(tools.rootless)] : []),
    ...[tools.confine, "enter", `-r${root}`, `-d${order.directory}`],
    ...composePrivileges(sandbox, tools),
    "--",
  ];
  return `${assignments}${prefix.map(quote).join(" ")} ${words}`;
}

function composePrivileges(sandbox: SandboxOrder, { rootless }: Tools): readonly string[] {
  const { user, capabilities, mayGainPrivileges, isAlone, shares = [] } = sandbox;
  const { uid, gid, groups } = user;
  return [
    // Without a mask the container is privileged: it has all capabilities and no filter.
    ...(capabilities === undefined ? [] : [`-c${capabilityMask(capabilities)}`]),
    ...(rootless ? [] : [`-u${uid}`, `-g${gid}`, `-G${groups.join(",")}`]),
    ...(mayGainPrivileges ? [] : ["-n"]),
    // Messages of one container are gone before the next one has the same seat.
    ...(isAlone && !shares.includes("hostIpc") ? ["-i"] : []),
  ];
}

/** They would change what unshare and nsenter do while these have the rights of the server. */
export const RISKY_VARIABLES =
  /^(LD_|GLIBC_|GCONV_PATH$|LOCPATH$|NLSPATH$|MALLOC_|LIBMOUNT_|CAPNG_)/;
