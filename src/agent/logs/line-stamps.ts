/** Pure: puts the time in front of every line, in blocks as they are read. */
import { findMark, type Mark } from "./marks.ts";

export interface Block {
  readonly bytes: Buffer;
  /** Where in the log it begins. */
  readonly offset: number;
  /** Otherwise a line goes on that has its time already. */
  readonly beginsLine: boolean;
}

export function stampLines(block: Block, marks: readonly Mark[]): Buffer {
  const { bytes, offset } = block;
  const pieces: Buffer[] = [];
  let stamp: Stamp | undefined;
  let at = block.beginsLine ? 0 : lineEnd(bytes, 0);
  if (at > 0) pieces.push(bytes.subarray(0, at));
  while (at < bytes.length) {
    const end = lineEnd(bytes, at);
    if (stamp === undefined || offset + at >= stamp.until) stamp = stampAt(marks, offset + at);
    pieces.push(stamp.text, bytes.subarray(at, end));
    at = end;
  }
  return Buffer.concat(pieces);
}

/** After the line's last byte, or the end of what there is. */
function lineEnd(bytes: Buffer, from: number): number {
  const newline = bytes.indexOf(NEWLINE, from);
  return newline < 0 ? bytes.length : newline + 1;
}

export const NEWLINE = 10;

/** One mark has many lines: its text is made once. */
interface Stamp {
  readonly text: Buffer;
  readonly until: number;
}

function stampAt(marks: readonly Mark[], offset: number): Stamp {
  const mark = findMark(marks, offset) ?? marks[marks.length - 1];
  const text = Buffer.from(`${formatStamp(mark?.timeMs ?? 0)} `);
  const until = mark !== undefined && mark.offset > offset ? mark.offset : offset + 1;
  return { text, until };
}

/** "2006-01-02T15:04:05.000000000Z": nine digits always, so that columns stay columns. */
function formatStamp(timeMs: number): string {
  return new Date(timeMs).toISOString().replace("Z", "000000Z");
}
