/** Pure: parses --range: "1-100", "0-90:10", "1,3,7-9". */

import { MAX_ITEMS } from "../../api/work-list/work-list.ts";
import { UsageError } from "../../base/usage-error.ts";

export function parseRange(text: string): readonly string[] {
  const numbers: string[] = [];
  for (const part of text.split(",")) addPart(numbers, part, text);
  return numbers;
}

const PART = /^(-?\d+)(?:(?:-|\.\.)(-?\d+)(?::(\d+))?)?$/;

function addPart(numbers: string[], part: string, whole: string): void {
  const [, from, to = from, by = "1"] = PART.exec(part.trim()) ?? [];
  const [first, last, step] = [Number(from), Number(to), Number(by)];
  if (from === undefined || to === undefined || !areWhole(first, last, step) || step === 0) {
    throw new UsageError(
      `--range must be like "1-100", "0-90:10" or "1,3,7-9", not ${JSON.stringify(whole)}`,
    );
  }
  if (first > last) throw new UsageError(`--range goes up: ${part} begins above its end`);
  const count = Math.floor((last - first) / step) + 1;
  if (numbers.length + count > MAX_ITEMS) {
    throw new UsageError(`--range ${whole} has more than ${MAX_ITEMS} numbers`);
  }
  const width = paddingOf(from, to);
  for (let number = first; number <= last; number += step) {
    numbers.push(width > 0 ? String(number).padStart(width, "0") : String(number));
  }
}

function areWhole(...numbers: readonly number[]): boolean {
  return numbers.every(Number.isSafeInteger);
}

/** "001-100" pads all numbers to the same width. */
function paddingOf(from: string, to: string): number {
  return /^0\d/.test(from) || /^0\d/.test(to) ? Math.max(from.length, to.length) : 0;
}
