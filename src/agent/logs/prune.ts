/** Removes the logs of pods: of one, of those that are old, of the oldest until the rest fits. */
import { readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { podUidOf } from "./places.ts";

export interface Retention {
  /** What nobody has written to for so long goes. */
  readonly olderThanMs?: number;
  /** What is left may be as much; the oldest goes first. */
  readonly totalBytes?: number;
}

export interface Pruned {
  readonly pods: number;
  readonly bytes: number;
}

export interface PruneOptions {
  readonly directory: string;
  readonly nowMs: number;
  /** A pod of which something runs keeps all it has. */
  readonly isKept: (podDirectory: string) => boolean;
}

export async function pruneLogs(options: PruneOptions, retention: Retention): Promise<Pruned> {
  const { olderThanMs, totalBytes = Number.POSITIVE_INFINITY } = retention;
  const logs = await measureLogs(options.directory);
  logs.sort((a, b) => a.writtenMs - b.writtenMs);
  let left = logs.reduce((sum, { bytes }) => sum + bytes, 0);
  let removed = { pods: 0, bytes: 0 };
  for (const { name, bytes, writtenMs } of logs) {
    const isOld = olderThanMs !== undefined && options.nowMs - writtenMs > olderThanMs;
    if ((!isOld && left <= totalBytes) || options.isKept(name)) continue;
    await removeDirectory(path.join(options.directory, name));
    left -= bytes;
    removed = { pods: removed.pods + 1, bytes: removed.bytes + bytes };
  }
  return removed;
}

export async function removeLogs(directory: string, podUid: string): Promise<void> {
  for (const name of await listDirectory(directory)) {
    if (podUidOf(name) === podUid) await removeDirectory(path.join(directory, name));
  }
}

interface PodLogs {
  readonly name: string;
  readonly bytes: number;
  readonly writtenMs: number;
}

async function measureLogs(directory: string): Promise<PodLogs[]> {
  const all: PodLogs[] = [];
  for (const name of await listDirectory(directory)) {
    all.push({ name, ...(await measurePod(path.join(directory, name))) });
  }
  return all;
}

async function measurePod(directory: string): Promise<Omit<PodLogs, "name">> {
  let bytes = 0;
  let writtenMs = 0;
  for (const name of await readdir(directory, { recursive: true }).catch(() => [])) {
    const found = await stat(path.join(directory, name)).catch(() => undefined);
    if (found === undefined) continue;
    if (found.isFile()) bytes += found.size;
    writtenMs = Math.max(writtenMs, found.isFile() ? found.mtimeMs : 0);
  }
  if (writtenMs > 0) return { bytes, writtenMs };
  // Nothing was written: it is as old as its directory.
  const own = await stat(directory).catch(() => undefined);
  return { bytes, writtenMs: own?.mtimeMs ?? 0 };
}

async function listDirectory(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}

function removeDirectory(directory: string): Promise<void> {
  return rm(directory, { recursive: true, force: true });
}
