/** Counts or removes log files in a data directory. */
import { opendir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { podUidOf } from "../../api/log-files.ts";

export interface LogFiles {
  readonly files: number;
  readonly bytes: number;
}

/** A file in the directory of logs. */
export interface LogFile {
  readonly podUid: string;
  readonly namespace: string;
  readonly podName: string;
  readonly path: string;
}

export interface LogRemoval {
  readonly dataDir: string;
  readonly isMeant: (file: LogFile) => boolean;
  /** Files that were written to later are kept. */
  readonly beforeMs?: number;
  /** Only counts. */
  readonly isDry?: boolean;
}

/** There may be millions of files: they are read one by one. */
export async function removeLogFiles(removal: LogRemoval): Promise<LogFiles> {
  const { dataDir, isMeant, beforeMs = Number.POSITIVE_INFINITY, isDry = false } = removal;
  const directory = join(dataDir, "logs");
  let files = 0;
  let bytes = 0;
  for await (const name of namesIn(directory)) {
    const path = join(directory, name);
    const [namespace = "", podName = ""] = name.split("_");
    if (!isMeant({ podUid: podUidOf(name), namespace, podName, path })) continue;
    const found = await stat(path).catch(() => undefined);
    if (!found || found.mtimeMs >= beforeMs) continue;
    if (!isDry) await unlink(path).catch(() => {});
    files++;
    bytes += found.size;
  }
  return { files, bytes };
}

async function* namesIn(directory: string): AsyncGenerator<string> {
  const opened = await opendir(directory, { bufferSize: 1024 }).catch(() => undefined);
  if (!opened) return;
  for await (const entry of opened) if (entry.isFile()) yield entry.name;
}
