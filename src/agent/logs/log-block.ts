/** Reads parts of a log file: forwards for what follows, backwards for its last lines. */
import type { FileHandle } from "node:fs/promises";
import { NEWLINE } from "./line-stamps.ts";

/** What is read at once, and so all that a slow reader costs. */
export const BLOCK_BYTES = 128 * 1024;

/**
 * How many zeros a search for lines reads. A process can give its log a hole of terabytes
 * (`truncate -s 4T /dev/stdout`), which takes nothing of the disk and reads as zeros for hours.
 */
export const MOST_ZEROS_BYTES = 16 * 1024 * 1024;

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** At most one block; fewer bytes, or none, where the file ends before. */
export async function readBlock(file: FileHandle, { from, to }: Span): Promise<Buffer> {
  const length = Math.min(to - from, BLOCK_BYTES);
  const bytes = Buffer.allocUnsafe(length);
  const { bytesRead } = await file.read(bytes, 0, length, from);
  return bytesRead === length ? bytes : bytes.subarray(0, bytesRead);
}

export interface LastLines {
  /** Where they begin. */
  readonly start: number;
  /** One that is not finished counts. */
  readonly count: number;
}

export interface Search extends Span {
  /** How many are wanted. */
  readonly lines: number;
}

/** The last lines of a span. If a hole is in the way, what was written after it. */
export async function findLastLines(
  file: FileHandle,
  { lines, from, to }: Search,
  signal: AbortSignal,
): Promise<LastLines> {
  if (lines === 0) return { start: to, count: 0 };
  let [count, zeros, written, right] = [0, 0, to, to];
  while (right > from && !signal.aborted) {
    const left = Math.max(from, right - BLOCK_BYTES);
    const bytes = await readBlock(file, { from: left, to: right });
    // The newline at the very end closes the last line, it does not begin another.
    const last = right === to ? bytes.length - 2 : bytes.length - 1;
    for (let at = last; at >= 0; at--) {
      at = bytes.lastIndexOf(NEWLINE, at);
      if (at < 0) break;
      count += 1;
      if (count === lines) return { start: left + at + 1, count };
    }
    if (isZeros(bytes)) zeros += bytes.length;
    else written = left + leadingZeros(bytes);
    if (zeros >= MOST_ZEROS_BYTES) return { start: written, count: written < to ? count + 1 : 0 };
    right = left;
  }
  return { start: from, count: from < to ? count + 1 : 0 };
}

/** The first line that begins there or later; undefined if a hole is in the way. */
export async function nextLineStart(
  file: FileHandle,
  { from, to }: Span,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (from === 0) return 0;
  let [at, zeros] = [from - 1, 0];
  while (at < to && !signal.aborted) {
    const bytes = await readBlock(file, { from: at, to });
    if (bytes.length === 0) return to;
    const newline = bytes.indexOf(NEWLINE);
    if (newline >= 0) return at + newline + 1;
    if (isZeros(bytes)) zeros += bytes.length;
    if (zeros >= MOST_ZEROS_BYTES) return undefined;
    at += bytes.length;
  }
  return to;
}

export async function countLines(
  file: FileHandle,
  { from, to }: Span,
  signal: AbortSignal,
): Promise<number> {
  let [at, lines, isFinished] = [from, 0, true];
  while (at < to && !signal.aborted) {
    const bytes = await readBlock(file, { from: at, to });
    if (bytes.length === 0) break;
    for (let next = bytes.indexOf(NEWLINE); next >= 0; next = bytes.indexOf(NEWLINE, next + 1)) {
      lines += 1;
    }
    isFinished = bytes[bytes.length - 1] === NEWLINE;
    at += bytes.length;
  }
  return isFinished ? lines : lines + 1;
}

const ZEROS = Buffer.alloc(BLOCK_BYTES);

function isZeros(bytes: Buffer): boolean {
  return bytes[0] === 0 && bytes.equals(ZEROS.subarray(0, bytes.length));
}

function leadingZeros(bytes: Buffer): number {
  let at = 0;
  while (bytes[at] === 0) at += 1;
  return at;
}
