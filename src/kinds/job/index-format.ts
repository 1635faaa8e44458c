/** Pure: parses sets of completion indexes, "1,3-5,7". */
import { quote } from "../../api/finding.ts";

export type ParsedIndexes = { readonly count: number } | { readonly problem: string };

/**
 * Accepts increasing intervals below the number of completions; adjacent ones need not be merged.
 */
export function parseIndexes(text: string, completions: number): ParsedIndexes {
  if (text === "") return { count: 0 };
  const usual = countUsual(text, completions);
  if (usual !== undefined) return { count: usual };
  let previous: number | undefined;
  let count = 0;
  for (const fragment of text.split(",")) {
    const parsed = parseInterval(fragment, completions);
    if ("problem" in parsed) return parsed;
    const { first, last } = parsed;
    if (previous !== undefined && previous >= first) {
      return { problem: notIncreasing(previous, first) };
    }
    previous = last;
    count += last - first + 1;
  }
  return { count };
}

const [COMMA, DASH, ZERO, NINE] = [0x2c, 0x2d, 0x30, 0x39];
/** A number with this many digits is exact as a double. */
const MOST_DIGITS = 15;

/**
 * The number of indexes in a text in the usual format; undefined for any other. A status may list a
 * hundred thousand indexes and is validated on each update, so this takes one pass without
 * allocations.
 */
function countUsual(text: string, completions: number): number | undefined {
  let [count, first, previous, value, digits] = [0, -1, -1, 0, 0];
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : COMMA;
    if (code >= ZERO && code <= NINE && digits < MOST_DIGITS) {
      value = value * 10 + code - ZERO;
      digits++;
      continue;
    }
    if (digits === 0 || value >= completions || value <= previous) return undefined;
    if (code === COMMA) {
      count += first < 0 ? 1 : value - first + 1;
      first = -1;
    } else if (code === DASH && first < 0) {
      first = value;
    } else {
      return undefined;
    }
    [previous, value, digits] = [value, 0, 0];
  }
  return count;
}

export interface Interval {
  readonly first: number;
  readonly last: number;
}

/** The first index in both sets. Fragments that do not parse are skipped, not reported. */
export function findOverlap(one: string, other: string, completions: number): number | undefined {
  if (one === "" || other === "") return undefined;
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
  return text.split(",").flatMap((fragment) => readInterval(fragment, completions) ?? []);
}

/** Undefined if it does not parse. */
export function readInterval(fragment: string, completions: number): Interval | undefined {
  const parsed = parseInterval(fragment, completions);
  return "problem" in parsed ? undefined : parsed;
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

/** Decimal with an optional sign, within 64 bits. */
function parseInteger(text: string): number | undefined {
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ""));
  return value <= INT64_MAX && value >= -INT64_MAX - 1n ? Number(value) : undefined;
}

function notIncreasing(previous: number, current: number): string {
  return `non-increasing order, previous: ${previous}, current: ${current}`;
}
