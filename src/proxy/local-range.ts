/**
 * Makes the addresses of Services this machine's own, so that they can be listened on and are found
 * from the networks of its pods. A range of loopback is that from the beginning.
 *
 * Several servers may share a range. Each that uses it leaves a file with its number, and the last
 * one takes the range away; those of processes that were killed count for nothing. What such a one
 * was the last to use is taken away by whoever opens a range next.
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

/** The directory may be taken away before there is something in it. */
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
    // Somebody came, or took it away.
    return;
  }
  await route("del", cidr).catch(() => {});
  // Whoever came since has put it in place before it was taken away.
  if (existsSync(directory)) await route("replace", cidr).catch(() => {});
}

async function usersOf(directory: string): Promise<readonly string[]> {
  const noted = await readdir(directory).catch(() => []);
  const gone = noted.filter((pid) => !existsSync(`/proc/${pid}`));
  await Promise.all(gone.map((pid) => rm(join(directory, pid), { force: true })));
  return noted.filter((pid) => !gone.includes(pid));
}
