/**
 * Makes the addresses of Services local to this machine, so that they can be listened on and are
 * reachable from the networks of its pods. Loopback ranges are local from the start.
 *
 * Several servers may share a range. Each of them creates a file named after its process ID, and
 * the last one removes the range. Files of processes that no longer exist are ignored. A range that
 * a killed server left behind is removed by the next server that opens any range.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { isLoopback, parseCidr } from "../base/address.ts";

export interface LocalRange {
  /** Removes the range, unless another server uses it. */
  close(): Promise<void>;
}

const run = promisify(execFile);
/** Deleted at reboot, like the range itself. */
const USERS = "/run/tally/ranges";

export async function openLocalRange(cidr: string): Promise<LocalRange | undefined> {
  const range = parseCidr(cidr);
  if (range === undefined || isLoopback(range.network)) return undefined;
  const directory = join(USERS, cidr.replace("/", "_"));
  const own = join(directory, String(process.pid));
  await note(directory, own);
  await route("replace", cidr);
  const swept = takeAwayAbandoned(directory);
  return {
    close: async () => {
      await swept;
      await rm(own, { force: true });
      await takeAwayUnused(directory, cidr);
    },
  };
}

/** Retries if the directory was removed by another server before the file was created. */
async function note(directory: string, own: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await writeFile(own, "").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return note(directory, own);
  });
}

async function route(change: "replace" | "del", cidr: string): Promise<void> {
  await run("ip", [cidr.includes(":") ? "-6" : "-4", "route", change, "local", cidr, "dev", "lo"]);
}

async function takeAwayAbandoned(own: string): Promise<void> {
  const names = await readdir(USERS).catch(() => []);
  for (const name of names) {
    const directory = join(USERS, name);
    if (directory !== own) await takeAwayUnused(directory, name.replace("_", "/"));
  }
}

async function takeAwayUnused(directory: string, cidr: string): Promise<void> {
  if ((await usersOf(directory)).length > 0) return;
  try {
    await rmdir(directory);
  } catch {
    // Another server started to use it, or already removed it.
    return;
  }
  await route("del", cidr).catch(() => {});
  // A server that started meanwhile added the route before it was removed here, so it is restored.
  if (existsSync(directory)) await route("replace", cidr).catch(() => {});
}

async function usersOf(directory: string): Promise<readonly string[]> {
  const noted = await readdir(directory).catch(() => []);
  const gone = noted.filter((pid) => !existsSync(`/proc/${pid}`));
  await Promise.all(gone.map((pid) => rm(join(directory, pid), { force: true })));
  return noted.filter((pid) => !gone.includes(pid));
}
