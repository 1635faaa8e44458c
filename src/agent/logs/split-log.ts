/**
 * The log of a run whose outputs are kept apart, as one: what it wrote to stdout, as it comes, and
 * then what it wrote to stderr. In which order they were written between each other nobody knows.
 */
import { type LogToRead, type ReadOptions, readLog } from "./read-log.ts";

export async function* readSplitLog(
  logs: { readonly out: LogToRead; readonly err: LogToRead },
  options: ReadOptions,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const { tailLines, limitBytes, follow: _, ...rest } = options;
  const tail = tailLines === undefined ? {} : { tailLines };
  const errors = () => readLog(logs.err, { ...rest, ...tail }, signal);
  let room = limitBytes ?? Number.POSITIVE_INFINITY;
  if (tailLines === undefined) {
    yield* readLog(logs.out, options, signal);
    yield* errors();
    return;
  }
  // The last lines of both are those of stderr, and of stdout only as many as those leave.
  const pieces: Buffer[] = [];
  for await (const piece of errors()) pieces.push(piece);
  const last = Buffer.concat(pieces);
  const left = Math.max(0, tailLines - countLines(last));
  for await (const piece of readLog(logs.out, { ...options, tailLines: left }, signal)) {
    yield piece;
    room -= piece.length;
  }
  if (room > 0) yield last.subarray(0, Math.min(last.length, room));
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (const byte of bytes) if (byte === NEWLINE) lines++;
  return bytes.length > 0 && bytes.at(-1) !== NEWLINE ? lines + 1 : lines;
}

const NEWLINE = 0x0a;
