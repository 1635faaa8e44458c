/**
 * Finds the kubectl that the tests run: the one in $KUBECTL, else the one on PATH if it is new
 * enough, else Debian's. Each candidate is run to get its version, so that one that does not run is
 * not used.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { debianKubectl } from "./debian-kubectl.ts";

export type FoundKubectl =
  | { readonly path: string; readonly version: string }
  | { readonly missing: string };

const OLDEST_MINOR = 30;

export async function findKubectl(oldestMinor = OLDEST_MINOR): Promise<FoundKubectl> {
  const named = process.env["KUBECTL"];
  if (named) return judge(named, oldestMinor);
  const installed = await judge("kubectl", oldestMinor);
  if ("path" in installed) return installed;
  try {
    return await judge(await debianKubectl(), oldestMinor);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { missing: `${installed.missing}; ${reason}` };
  }
}

async function judge(path: string, oldestMinor: number): Promise<FoundKubectl> {
  const version = await clientVersion(path);
  if (version === undefined) return { missing: `${path} does not run` };
  const minor = /^v1\.(\d+)\./.exec(version)?.[1];
  if (Number(minor) >= oldestMinor) return { path, version };
  return { missing: `${path} is ${version}, older than v1.${oldestMinor}` };
}

async function clientVersion(path: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(path, ["version", "--client", "-o", "json"]);
    return JSON.parse(stdout).clientVersion.gitVersion;
  } catch {
    return undefined;
  }
}
