/**
 * Allows one process per data directory. Each process first creates a file named after its pid and
 * start time, and then checks for the files of others: if two start at the same time, at least one
 * sees the other. No two processes ever use the same name. So anybody can remove the file of a dead
 * process at any time, and nothing has to be cleaned up after kill -9.
 */
import { mkdir, open, readdir, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import { ensureOwnDirectory } from "./own-directory.ts";

export interface Lock {
  release(): Promise<void>;
}

export class DirectoryInUse extends Error {
  override readonly name = "DirectoryInUse";
}

export async function lockDirectory(directory: string): Promise<Lock> {
  ensureOwnDirectory(directory);
  const holders = join(directory, "lock");
  await mkdir(holders, { recursive: true, mode: 0o700 });
  const own = await identify(process.pid);
  const path = join(holders, own ?? String(process.pid));
  const file = await open(path, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EEXIST" ? inUse(directory, process.pid) : error;
  });
  await file.close();
  try {
    for (const name of await readdir(holders)) {
      if (join(holders, name) === path) continue;
      const pid = Number.parseInt(name, 10);
      if (await isHeld(name, pid)) throw inUse(directory, pid);
      await remove(join(holders, name));
    }
  } catch (error) {
    await remove(path);
    throw error;
  }
  return { release: () => remove(path) };
}

function inUse(directory: string, pid: number): DirectoryInUse {
  const holder = pid === process.pid ? `this process (${pid})` : `process ${pid}`;
  return new DirectoryInUse(`the data directory ${directory} is in use by ${holder}`);
}

async function isHeld(name: string, pid: number): Promise<boolean> {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  const identity = await identify(pid);
  // Without /proc only the pid is known; a wrong guess rejects, it never shares the directory.
  return identity === undefined ? !name.includes("-") && isAlive(pid) : identity === name;
}

/**
 * A name that no other process has: a pid may be reused, but not with the same start time and boot
 * ID. Undefined if the process is gone or the system does not tell.
 */
async function identify(pid: number): Promise<string | undefined> {
  try {
    const [stat, bootId] = await Promise.all([
      readFile(`/proc/${pid}/stat`, "latin1"),
      readFile("/proc/sys/kernel/random/boot_id", "latin1"),
    ]);
    // The command in field 2 may contain anything, including spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state, startTicks] = [fields[0], fields[19]];
    if (state === "Z" || state === "X" || startTicks === undefined) return undefined;
    return `${pid}-${startTicks}-${bootId.trim().slice(0, 8)}`;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function remove(path: string): Promise<void> {
  await unlink(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
}
