/**
 * Makes the addresses of Services this machine's own, so that they can be listened on and are found
 * from the networks of its pods. A range of loopback is that from the beginning.
 *
 * Several servers may share a range. Each that uses it leaves a file with its number, and the last
 * one takes the range away; those of processes that were killed count for nothing.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { isLoopback, parseCidr } from "../base/address.ts";

export interface LocalRange {
  /** As it was before, unless somebody else needs it. */
  close(): Promise<void>;
}

const run = promisify(execFile);
/** Gone when the machine starts anew, as the range is. */
const USERS = "/run/tally/ranges";

export async function openLocalRange(cidr: string): Promise<LocalRange | undefined> {
  const range = parseCidr(cidr);
  if (range === undefined || isLoopback(range.network)) return undefined;
  const family = range.network.length === 4 ? "-4" : "-6";
  const directory = join(USERS, cidr.replace("/", "_"));
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, String(process.pid)), "");
  await run("ip", [family, "route", "replace", "local", cidr, "dev", "lo"]);
  return {
    close: async () => {
      await rm(join(directory, String(process.pid)), { force: true });
      if ((await usersOf(directory)).length > 0) return;
      await run("ip", [family, "route", "del", "local", cidr, "dev", "lo"]).catch(() => {});
      await rmdir(directory).catch(() => {});
    },
  };
}

async function usersOf(directory: string): Promise<readonly string[]> {
  const noted = await readdir(directory);
  const gone = noted.filter((pid) => !existsSync(`/proc/${pid}`));
  await Promise.all(gone.map((pid) => rm(join(directory, pid), { force: true })));
  return noted.filter((pid) => !gone.includes(pid));
}
