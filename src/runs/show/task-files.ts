/** What tasks wrote: the files of their runs in the data directory, read when somebody asks. */
import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Pod } from "../../api/generated/core.ts";
import { errorFile, logFile } from "../../api/log-files.ts";
import type { TaskAttempt } from "../follow/attempt.ts";
import type { TaskLogs, TaskStream } from "./task-logs.ts";

/** What the tasks of a run on this machine wrote. */
export function fileLogs(dataDir: string): TaskLogs {
  return {
    streamsOf: (attempt) =>
      taskFiles(dataDir, attempt).flatMap(({ out, err }) => [
        fileStream(out, false),
        fileStream(err, true),
      ]),
  };
}

function fileStream(file: string, isError: boolean): TaskStream {
  const readEnd = (bytes: number) => readTail(file, bytes);
  return {
    isError,
    readShort: () => readShort(file),
    copy: (write) => copyLong(file, write),
    readEnd,
    peek: readEnd,
  };
}

export interface TaskFiles {
  readonly out: string;
  readonly err: string;
}

/** Of each container, in their order. */
export function taskFiles(
  dataDir: string,
  { pod, runs }: Pick<TaskAttempt, "pod" | "runs">,
): readonly TaskFiles[] {
  const named = { metadata: pod } as unknown as Pod;
  return runs.map(({ container, restarts }) => {
    const out = join(dataDir, "logs", logFile(named, container, restarts));
    return { out, err: errorFile(out) };
  });
}

/** What is read at once; a longer one goes through in pieces of this. */
const PIECE_BYTES = 256 * 1024;
const NOTHING = Buffer.alloc(0);

/**
 * Most outputs are short or empty, and there may be thousands a second: these are read without
 * waiting. Undefined for one that is too long for that.
 */
export function readShort(file: string): Buffer | undefined {
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

/** The whole of a long one, no faster than it is taken. */
export async function copyLong(
  file: string,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
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

/** The last bytes, for somebody who looks while it grows. */
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
