/**
 * Pure: when which part of a log was written. A mark says: what comes before this offset and after
 * the mark before it was there by this time, and not at the mark before. Offsets and times only
 * grow. What comes after the last mark was written by the time the file was last changed, which the
 * file system remembers: most logs need no marks at all.
 */

export interface Mark {
  readonly offset: number;
  readonly timeMs: number;
}

/** While a log grows without a pause it is marked this often. */
export const MARK_EVERY_MS = 100;
/** After an hour of output without a pause, a second is fine enough. */
const FINE_MARKS = 36_000;
const COARSE_MARK_EVERY_MS = 1000;

/** How far two marks in a row are apart at least, after so many. */
export function spacingMs(count: number): number {
  // Looks come a little early or late: half the distance still tells them apart.
  return count < FINE_MARKS ? MARK_EVERY_MS / 2 : COARSE_MARK_EVERY_MS;
}

export const MARK_BYTES = 16;

export function encodeMarks(marks: readonly Mark[]): Buffer {
  const bytes = Buffer.allocUnsafe(marks.length * MARK_BYTES);
  marks.forEach(({ offset, timeMs }, index) => {
    bytes.writeDoubleLE(offset, index * MARK_BYTES);
    bytes.writeDoubleLE(timeMs, index * MARK_BYTES + 8);
  });
  return bytes;
}

/** A last mark that was cut off, and whatever does not grow, is left out. */
export function decodeMarks(bytes: Buffer): Mark[] {
  const marks: Mark[] = [];
  for (let at = 0; at + MARK_BYTES <= bytes.length; at += MARK_BYTES) {
    addMark(marks, { offset: bytes.readDoubleLE(at), timeMs: bytes.readDoubleLE(at + 8) });
  }
  return marks;
}

/** Adds what says something new. */
export function addMark(marks: Mark[], mark: Mark): void {
  const last = marks[marks.length - 1];
  if (last !== undefined && !(mark.offset > last.offset)) return;
  if (!Number.isFinite(mark.offset) || !Number.isFinite(mark.timeMs)) return;
  // The clock of the machine may be set back; the order of the lines stays.
  const timeMs = Math.max(mark.timeMs, last?.timeMs ?? mark.timeMs);
  marks.push({ offset: mark.offset, timeMs });
}

/** The first mark beyond the offset: it has the time of a line that begins there. */
export function findMark(marks: readonly Mark[], offset: number): Mark | undefined {
  return marks[firstWhere(marks, (mark) => mark.offset > offset)];
}

/** Where what was written at that time or later begins; undefined if nothing was. */
export function offsetSince(marks: readonly Mark[], sinceMs: number): number | undefined {
  const first = firstWhere(marks, (mark) => mark.timeMs >= sinceMs);
  if (first === marks.length) return undefined;
  return marks[first - 1]?.offset ?? 0;
}

/** By halving: what holds for one mark holds for all after it. */
function firstWhere(marks: readonly Mark[], holds: (mark: Mark) => boolean): number {
  let low = 0;
  let high = marks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const mark = marks[middle];
    if (mark !== undefined && holds(mark)) high = middle;
    else low = middle + 1;
  }
  return low;
}
