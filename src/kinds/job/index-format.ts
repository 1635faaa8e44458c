/** Pure: sets of completion indexes as text, "1,3-5,7". */
import { quote } from "../../api/finding.ts";

export interface Interval {
  readonly first: number;
  readonly last: number;
}

export type ParsedIndexes =
  | { readonly intervals: readonly Interval[]; readonly count: number }
  | { readonly problem: string };

/** Increasing intervals below the number of completions; neighbours need not be merged. */
export function parseIndexes(text: string, completions: number): ParsedIndexes {
  if (text === "") return { intervals: [], count: 0 };
  const intervals: Interval[] = [];
  let count = 0;
  for (const fragment of text.split(",")) {
    const parsed = parseInterval(fragment, completions);
    if ("problem" in parsed) return parsed;
    const previous = intervals.at(-1);
    if (previous !== undefined && previous.last >= parsed.first) {
      return { problem: notIncreasing(previous.last, parsed.first) };
    }
    intervals.push(parsed);
    count += parsed.last - parsed.first + 1;
  }
  return { intervals, count };
}

/** The first index in both sets. Fragments that do not parse are passed over, not reported. */
export function findOverlap(one: string, other: string, completions: number): number | undefined {
  const left = readableIntervals(one, completions);
  const right = readableIntervals(other, completions);
  let [at, beside] = [0, 0];
  for (;;) {
    const [a, b] = [left[at], right[beside]];
    if (a === undefined || b === undefined) return undefined;
    if (b.first <= a.first && a.first <= b.last) return a.first;
    if (a.first <= b.first && b.first <= a.last) return b.first;
    if (a.first <= b.first) at++;
    else beside++;
  }
}

function readableIntervals(text: string, completions: number): Interval[] {
  if (text === "") return [];
  return text.split(",").flatMap((fragment) => {
    const parsed = parseInterval(fragment, completions);
    return "problem" in parsed ? [] : [parsed];
  });
}

function parseInterval(
  fragment: string,
  completions: number,
): Interval | { readonly problem: string } {
  const parts = fragment.split("-");
  if (parts.length > 2) {
    const rule = "an index interval can have at most two parts separated by '-'";
    return { problem: `the fragment ${quote(fragment)} violates the requirement that ${rule}` };
  }
  const limits: number[] = [];
  for (const part of parts) {
    const index = parseInteger(part);
    if (index === undefined) {
      return { problem: `cannot convert string to integer for index: ${quote(part)}` };
    }
    if (index >= completions) return { problem: `too large index: ${quote(part)}` };
    limits.push(index);
  }
  const [first = 0, last] = limits;
  if (last === undefined) return { first, last: first };
  return first < last ? { first, last } : { problem: notIncreasing(first, last) };
}

const INT64_MAX = 2n ** 63n - 1n;

/** Decimal with an optional sign, as far as 64 bits go. */
function parseInteger(text: string): number | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ""));
  return value <= INT64_MAX && value >= -INT64_MAX - 1n ? Number(value) : undefined;
}

function notIncreasing(previous: number, current: number): string {
  return `non-increasing order, previous: ${previous}, current: ${current}`;
}
