/**
 * Pure: the first index that two texts share. If one text is much longer, it is searched instead of
 * parsed.
 */
import { findOverlap, type Interval, readInterval } from "./index-format.ts";

/** If the lengths differ by a smaller factor, parsing is faster than searching. */
const WORTH_SEARCHING = 32;

/** Both texts must be in order; findOverlap accepts any text. */
export function findShared(one: string, other: string, completions: number): number | undefined {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (short === "") return undefined;
  if (short.length * WORTH_SEARCHING > long.length) return findOverlap(one, other, completions);
  for (const fragment of short.split(",")) {
    const wanted = readInterval(fragment, completions);
    const found = wanted && findFrom(long, wanted.first, completions);
    if (found && found.first <= wanted.last) return Math.max(found.first, wanted.first);
  }
  return undefined;
}

/** The first interval that ends at or after the index. */
function findFrom(text: string, index: number, completions: number): Interval | undefined {
  let [low, high] = [0, text.length];
  let found: Interval | undefined;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const start = text.lastIndexOf(",", middle - 1) + 1;
    const comma = text.indexOf(",", middle);
    const end = comma < 0 ? text.length : comma;
    const interval = readInterval(text.slice(start, end), completions);
    if (!interval) return undefined;
    if (interval.last >= index) {
      found = interval;
      high = Math.max(low, start - 1);
    } else low = end + 1;
  }
  return found;
}
