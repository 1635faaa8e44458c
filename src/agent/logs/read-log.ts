/** Reads one log, a block at a time: from where, how much, with times or without, and on and on. */
import { type FileHandle, open, readFile } from "node:fs/promises";
import { marksFile } from "../../api/log-files.ts";
import type { GrowingLog } from "./growing-log.ts";
import { NEWLINE, stampLines } from "./line-stamps.ts";
import {
  countLines,
  findLastLines,
  type LastLines,
  nextLineStart,
  readBlock,
} from "./log-block.ts";
import { addMark, decodeMarks, type Mark, offsetSince } from "./marks.ts";

export interface ReadOptions {
  readonly follow?: boolean;
  readonly timestamps?: boolean;
  readonly sinceMs?: number;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  /** What was written before is left out, wherever a line begins. */
  readonly fromByte?: number;
  /** The same for all but so many bytes at the end. */
  readonly lastBytes?: number;
}

export interface LogToRead {
  readonly file: string;
  /** While the run is not over. */
  readonly growing: GrowingLog | undefined;
  /** What lies beyond is about to be cut off. 0: nothing is. */
  readonly maxBytes: number;
}

/** A file that is not there is empty. */
export async function* readLog(
  log: LogToRead,
  options: ReadOptions,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const { growing } = log;
  let file: FileHandle | undefined;
  try {
    let reading: Reading | undefined;
    for (;;) {
      const version = growing?.version ?? 0;
      // Asked before the file is: what is written until the end is read to the end.
      const isLast = !options.follow || growing === undefined || growing.isOver;
      file ??= await openIfThere(log.file);
      if (reading) await reading.measure();
      else if (file) reading = await beginReading(file, log, options, signal);
      if (reading) yield* reading.more(signal);
      if (isLast || signal.aborted || reading?.isDone) return;
      await growing.changed(version, signal);
    }
  } finally {
    await file?.close();
  }
}

/** What would be read now, without reading it. The signal ends the search. */
export async function measureLog(
  log: LogToRead,
  options: ReadOptions,
  signal: AbortSignal,
): Promise<LastLines> {
  const file = await openIfThere(log.file);
  if (file === undefined) return { start: 0, count: 0 };
  try {
    const reading = await beginReading(file, log, options, signal);
    return await reading.measureRest(signal);
  } finally {
    await file.close();
  }
}

async function openIfThere(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function beginReading(
  file: FileHandle,
  log: LogToRead,
  options: ReadOptions,
  signal: AbortSignal,
): Promise<Reading> {
  const needsMarks = options.timestamps === true || options.sinceMs !== undefined;
  const reading = new Reading(file, log.maxBytes, options, needsMarks ? await marksOf(log) : []);
  await reading.begin(signal);
  return reading;
}

/** What is not saved is looked at first: it may be saved while the file is read. */
async function marksOf({ file, growing }: LogToRead): Promise<Mark[]> {
  const recent = growing?.recentMarks() ?? [];
  const saved = await readFile(marksFile(file)).catch(() => Buffer.alloc(0));
  const marks = decodeMarks(saved);
  for (const mark of recent) addMark(marks, mark);
  return marks;
}

/** Whoever follows a log for days forgets when the lines were written that it has sent. */
const MARKS_AT_ONCE = 65_536;

class Reading {
  isDone = false;
  private position = 0;
  private end = 0;
  private remaining: number;
  private beginsLine = true;
  /** The last lines, if only these are wanted. */
  private found: LastLines | undefined;

  constructor(
    private readonly file: FileHandle,
    private readonly maxBytes: number,
    private readonly options: ReadOptions,
    private marks: Mark[],
  ) {
    this.remaining = options.limitBytes ?? Number.POSITIVE_INFINITY;
  }

  /** Finds where to begin: of the last lines those that are not too old. */
  async begin(signal: AbortSignal): Promise<void> {
    const { tailLines, sinceMs, fromByte = 0, lastBytes = Number.POSITIVE_INFINITY } = this.options;
    const { file } = this;
    await this.measure();
    const to = this.end;
    const from = Math.min(Math.max(fromByte, to - lastBytes), to);
    const lines = tailLines ?? Number.POSITIVE_INFINITY;
    let first = from;
    if (tailLines !== undefined) {
      this.found = await findLastLines(file, { lines, from, to }, signal);
      first = this.found.start;
    }
    if (sinceMs !== undefined) {
      const since = offsetSince(this.marks, sinceMs) ?? to;
      const start =
        (await nextLineStart(file, { from: since, to }, signal)) ??
        (await findLastLines(file, { lines, from, to }, signal)).start;
      first = Math.max(first, start);
    }
    await this.skipTo(first);
  }

  /** How many lines there are from where it begins. */
  async measureRest(signal: AbortSignal): Promise<LastLines> {
    const { position: start, end, found } = this;
    if (found?.start === start) return found;
    return { start, count: await countLines(this.file, { from: start, to: end }, signal) };
  }

  /** Takes in what there is by now, which need not be all there will be. */
  async measure(): Promise<void> {
    const { sinceMs, timestamps } = this.options;
    const { size, mtimeMs } = await this.file.stat();
    const timeMs = Math.floor(mtimeMs);
    this.end = this.maxBytes > 0 ? Math.min(size, this.maxBytes) : size;
    if (this.end < this.position) this.startOver();
    if (timestamps || sinceMs !== undefined) this.addMark({ offset: this.end, timeMs });
    // A time that has not come yet: nothing before it is wanted.
    if (sinceMs !== undefined && timeMs < sinceMs) await this.skipTo(this.end);
  }

  private addMark(mark: Mark): void {
    if (this.marks.length >= MARKS_AT_ONCE) {
      this.marks = this.marks.filter(({ offset }) => offset > this.position);
    }
    addMark(this.marks, mark);
  }

  private async skipTo(position: number): Promise<void> {
    this.position = position;
    if (position === 0) return;
    const before = await readBlock(this.file, { from: position - 1, to: position });
    this.beginsLine = before[0] === NEWLINE;
  }

  async *more(signal: AbortSignal): AsyncGenerator<Buffer> {
    while (this.position < this.end && !signal.aborted) {
      const bytes = await readBlock(this.file, { from: this.position, to: this.end });
      if (bytes.length === 0) return;
      const whole = this.stamped(bytes);
      this.position += bytes.length;
      this.beginsLine = bytes[bytes.length - 1] === NEWLINE;
      const sent = whole.length > this.remaining ? whole.subarray(0, this.remaining) : whole;
      this.remaining -= sent.length;
      this.isDone = this.remaining <= 0;
      yield sent;
      if (this.isDone) return;
    }
  }

  /** Someone made the file shorter. */
  private startOver(): void {
    this.position = 0;
    this.beginsLine = true;
    this.marks = [];
  }

  private stamped(bytes: Buffer): Buffer {
    if (!this.options.timestamps) return bytes;
    return stampLines({ bytes, offset: this.position, beginsLine: this.beginsLine }, this.marks);
  }
}
