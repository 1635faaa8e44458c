/** Reads parts of a log file: forwards for what follows, backwards for its last lines. */
import type { FileHandle } from "node:fs/promises";
import { NEWLINE } from "./line-stamps.ts";

/** What is read at once, and so all that a slow reader costs. */
export const BLOCK_BYTES = 128 * 1024;

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

/** Where the last lines before the end begin. One that is not finished counts. */
export async function lastLinesStart(
  file: FileHandle,
  { lines, end }: { readonly lines: number; readonly end: number },
): Promise<number> {
  if (lines === 0) return end;
  // The newline at the very end closes the last line, it does not begin another.
  let missing = lines;
  let right = end - 1;
  while (right > 0) {
    const left = Math.max(0, right - BLOCK_BYTES);
    const bytes = await readBlock(file, { from: left, to: right });
    for (let at = bytes.length - 1; at >= 0; at--) {
      at = bytes.lastIndexOf(NEWLINE, at);
      if (at < 0) break;
      missing--;
      if (missing === 0) return left + at + 1;
    }
    right = left;
  }
  return 0;
}

/** The first line that begins there or later. */
export async function nextLineStart(file: FileHandle, { from, to }: Span): Promise<number> {
  if (from === 0) return 0;
  let at = from - 1;
  while (at < to) {
    const bytes = await readBlock(file, { from: at, to });
    if (bytes.length === 0) return to;
    const newline = bytes.indexOf(NEWLINE);
    if (newline >= 0) return at + newline + 1;
    at += bytes.length;
  }
  return to;
}
