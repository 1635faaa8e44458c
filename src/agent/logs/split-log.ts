/**
 * The log of a run whose outputs are kept apart, as one: what it wrote to stdout, as it comes, and
 * then what it wrote to stderr. In which order they were written between each other nobody knows.
 */
import { type LogToRead, measureLog, type ReadOptions, readLog } from "./read-log.ts";

interface Logs {
  readonly out: LogToRead;
  readonly err: LogToRead;
}

export async function* readSplitLog(
  logs: Logs,
  options: ReadOptions,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const { out, err } = await partsOf(logs, options, signal);
  let room = options.limitBytes ?? Number.POSITIVE_INFINITY;
  for await (const piece of readLog(logs.out, out, signal)) {
    yield piece;
    room -= piece.length;
  }
  if (room > 0) yield* readLog(logs.err, { ...err, limitBytes: room }, signal);
}

/** The last lines of both are those of stderr, and of stdout only as many as those leave. */
async function partsOf(
  logs: Logs,
  options: ReadOptions,
  signal: AbortSignal,
): Promise<{ readonly out: ReadOptions; readonly err: ReadOptions }> {
  const { tailLines, limitBytes: _, follow: __, ...err } = options;
  if (tailLines === undefined) return { out: options, err };
  // Counted before stdout is sent, and not kept: a line may be as long as the disk is large.
  const errors = await measureLog(logs.err, { ...err, tailLines }, signal);
  const left = Math.max(0, tailLines - errors.count);
  return { out: { ...options, tailLines: left }, err: { ...err, fromByte: errors.start } };
}
