/** What items on this machine printed: files in the data directory. */
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Pod } from "../../api/generated/core.ts";
import { errorFile, logFile } from "../../api/log-files.ts";
import type {
  AttemptLog,
  AttemptLogs,
  LogFiles,
  LoggedAttempt,
  LogStream,
  WriteBytes,
} from "./attempt-logs.ts";
import { GrowingFile, lastLines } from "./growing-file.ts";

export function fileLogs(dataDir: string): AttemptLogs {
  const filesOf = (attempt: LoggedAttempt) => logFilesOf(dataDir, attempt);
  return {
    filesOf,
    streamsOf: (attempt) =>
      filesOf(attempt).flatMap(({ out, err }) => [fileStream(out, false), fileStream(err, true)]),
    open: (attempt) => filesOf(attempt).flatMap(({ out, err }) => [fileLog(out), fileLog(err)]),
  };
}

function logFilesOf(dataDir: string, { pod, containers }: LoggedAttempt): readonly LogFiles[] {
  const named = { metadata: pod } as unknown as Pod;
  return containers.map(({ container, restarts }) => {
    const out = join(dataDir, "logs", logFile(named, container, restarts));
    return { out, err: errorFile(out) };
  });
}

function fileStream(file: string, isError: boolean): LogStream {
  const readEnd = (bytes: number) => readTail(file, bytes);
  return {
    isError,
    readShort: () => readShort(file),
    copy: (write) => copyLong(file, write),
    readEnd,
    peek: readEnd,
  };
}

function fileLog(file: string): AttemptLog {
  return {
    copy: async (write, tailLines) => {
      if (tailLines === undefined) await new GrowingFile(file).copyTo(write);
      else await write(lastLines(file, tailLines));
      return existsSync(file);
    },
    grow: (tailLines) => new GrowingFile(file, tailLines),
  };
}

/** A log up to this size is read at once; a longer one is copied in pieces of this size. */
const PIECE_BYTES = 256 * 1024;
const NOTHING = Buffer.alloc(0);

/**
 * Most logs are short or empty, and thousands may end per second: these are read synchronously.
 * Undefined for a log that is too long for that.
 */
function readShort(file: string): Buffer | undefined {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return NOTHING;
  if (size > PIECE_BYTES) return undefined;
  const handle = openSync(file, "r");
  try {
    const bytes = Buffer.allocUnsafe(size);
    return bytes.subarray(0, readSync(handle, bytes, 0, size, 0));
  } finally {
    closeSync(handle);
  }
}

/** Copies a long log, no faster than it is written. */
async function copyLong(file: string, write: WriteBytes): Promise<void> {
  const handle = await open(file, "r");
  try {
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(PIECE_BYTES));
      if (bytesRead === 0) return;
      await write(buffer.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}

/** The last bytes, also while the file grows. */
export function readTail(file: string, bytes: number): Buffer {
  let handle: number;
  try {
    handle = openSync(file, "r");
  } catch {
    return NOTHING;
  }
  try {
    const { size } = fstatSync(handle);
    const from = Math.max(0, size - bytes);
    const tail = Buffer.allocUnsafe(size - from);
    return tail.subarray(0, readSync(handle, tail, 0, tail.length, from));
  } finally {
    closeSync(handle);
  }
}
