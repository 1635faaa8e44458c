/** The programs that make sandboxes, and what they can do for us on this machine. */
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFile } from "../../../base/package-file.ts";
import type { SandboxAbilities } from "../protocol.ts";
import type { Translator } from "./way-out.ts";

/** By absolute path: what a run has in its PATH must not be run with the server's rights. */
export interface Tools {
  readonly unshare: string;
  readonly nsenter: string;
  readonly mount: string;
  readonly umount: string;
  /** confine.c, compiled. */
  readonly confine: string;
  readonly ip?: string;
  /** Absent: pods with a network of their own reach nothing beyond this machine. */
  readonly translator?: Translator;
  /** Where the server is not root. */
  readonly rootless?: { readonly hostname: string; readonly uid: number; readonly gid: number };
}

const FOLDERS = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
const NEEDED = ["unshare", "nsenter", "mount", "umount"] as const;

export interface FoundTools {
  readonly tools?: Tools;
  readonly can: SandboxAbilities;
}

export function findTools(
  uid = process.getuid?.() ?? 0,
  find = findProgram,
  findProblem = findRootlessProblem,
  findConfine = findConfiner,
): FoundTools {
  const found = Object.fromEntries(NEEDED.map((name) => [name, find(name)]));
  const missing = NEEDED.filter((name) => found[name] === undefined);
  const ip = find("ip");
  const isRoot = uid === 0;
  const hasNetwork = isRoot && ip !== undefined;
  const translator = hasNetwork ? findTranslator(find) : undefined;
  const confine = findConfine();
  const can = {
    hasNetwork,
    hasUsers: isRoot,
    ...(hasNetwork && translator === undefined ? { noWayOut: NO_TRANSLATOR } : {}),
  };
  if (process.platform !== "linux") return { can: { ...can, problem: "it needs Linux" } };
  const hostname = isRoot ? undefined : find("hostname");
  const refused = isRoot ? undefined : findProblem();
  if (!isRoot && (refused !== undefined || hostname === undefined)) {
    const reason = refused ?? "hostname was not found on this machine";
    return { can: { ...can, problem: `the server is not root, and ${reason}` } };
  }
  if (missing.length > 0) {
    const problem = `${missing.join(", ")} of util-linux not found on this machine`;
    return { can: { ...can, problem } };
  }
  if (confine === undefined) return { can: { ...can, problem: NO_CONFINER } };
  const others = {
    confine,
    ...(ip === undefined ? {} : { ip }),
    ...(translator && { translator }),
  };
  const gid = process.getgid?.() ?? uid;
  const rootless = hostname === undefined ? {} : { rootless: { hostname, uid, gid } };
  const tools = { ...found, ...others, ...rootless } as unknown as Tools;
  return { tools, can };
}

const NO_CONFINER =
  "its helper program does not run here: build Tally with a C compiler, on Linux 5.12 or newer";
export const NO_TRANSLATOR = "neither iptables nor nft was found on this machine";

/** Rules for iptables are heard where others use it, too: those of nft alone are not. */
function findTranslator(find: typeof findProgram): Translator | undefined {
  const [save, restore, nft] = [find("iptables-save"), find("iptables-restore"), find("nft")];
  if (save !== undefined && restore !== undefined) return { kind: "iptables", save, restore };
  return nft === undefined ? undefined : { kind: "nft", nft };
}

function findProgram(name: string): string | undefined {
  return FOLDERS.map((folder) => join(folder, name)).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

let confiner: { readonly path: string | undefined } | undefined;

/** Looked for once: it is run to find out whether this machine and its kernel take it. */
function findConfiner(): string | undefined {
  confiner ??= { path: tryConfiner(packageFile("dist", "confine")) };
  return confiner.path;
}

function tryConfiner(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  return spawnSync(path, ["check"], { stdio: "ignore" }).status === 0 ? path : undefined;
}

/** Why no user but root makes namespaces here; undefined where nothing is known of. */
function findRootlessProblem(): string | undefined {
  const isZero = (file: string) => read(file)?.trim() === "0";
  if (!existsSync("/proc/self/ns/user") || isZero("/proc/sys/user/max_user_namespaces"))
    return "it has no user namespaces";
  if (isZero("/proc/sys/kernel/unprivileged_userns_clone")) {
    return "kernel.unprivileged_userns_clone is 0";
  }
  if (read("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")?.trim() === "1") {
    return "kernel.apparmor_restrict_unprivileged_userns is 1";
  }
  return undefined;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return undefined;
  }
}
