/** Removes the logs of pods: of one, of those that are old, of the oldest until the rest fits. */
import { readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { podUidOf } from "../../api/log-files.ts";

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
  readonly isKept: (podUid: string) => boolean;
}

export async function pruneLogs(options: PruneOptions, retention: Retention): Promise<Pruned> {
  const { olderThanMs, totalBytes = Number.POSITIVE_INFINITY } = retention;
  const logs = await measureLogs(options.directory);
  logs.sort((a, b) => a.writtenMs - b.writtenMs);
  let left = logs.reduce((sum, { bytes }) => sum + bytes, 0);
  let removed = { pods: 0, bytes: 0 };
  for (const { podUid, files, bytes, writtenMs } of logs) {
    const isOld = olderThanMs !== undefined && options.nowMs - writtenMs > olderThanMs;
    if ((!isOld && left <= totalBytes) || options.isKept(podUid)) continue;
    await removeFiles(options.directory, files);
    left -= bytes;
    removed = { pods: removed.pods + 1, bytes: removed.bytes + bytes };
  }
  return removed;
}

export async function removeLogs(directory: string, podUid: string): Promise<void> {
  const files = await listDirectory(directory);
  await removeFiles(
    directory,
    files.filter((name) => podUidOf(name) === podUid),
  );
}

interface PodLogs {
  readonly podUid: string;
  readonly files: readonly string[];
  readonly bytes: number;
  readonly writtenMs: number;
}

const BYTES_PER_BLOCK = 512;

async function measureLogs(directory: string): Promise<PodLogs[]> {
  const byPod = new Map<string, string[]>();
  for (const name of await listDirectory(directory)) {
    const podUid = podUidOf(name);
    const known = byPod.get(podUid);
    if (known) known.push(name);
    else byPod.set(podUid, [name]);
  }
  const all: PodLogs[] = [];
  for (const [podUid, files] of byPod) {
    all.push({ podUid, files, ...(await measureFiles(directory, files)) });
  }
  return all;
}

async function measureFiles(
  directory: string,
  files: readonly string[],
): Promise<Pick<PodLogs, "bytes" | "writtenMs">> {
  let bytes = 0;
  let writtenMs = 0;
  for (const name of files) {
    const found = await stat(path.join(directory, name)).catch(() => undefined);
    if (found === undefined) continue;
    // Of a file with holes only what it takes of the disk: otherwise others would go for nothing.
    bytes += Math.min(found.size, found.blocks * BYTES_PER_BLOCK);
    writtenMs = Math.max(writtenMs, found.mtimeMs);
  }
  return { bytes, writtenMs };
}

async function listDirectory(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}

async function removeFiles(directory: string, files: readonly string[]): Promise<void> {
  for (const name of files) await rm(path.join(directory, name), { force: true });
}
