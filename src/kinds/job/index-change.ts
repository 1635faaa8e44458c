/**
 * Pure: checks whether a text of indexes is still in order after a change, by reading only what
 * differs.
 *
 * A status may list a hundred thousand indexes, and each update adds a few. Comparing texts is a
 * hundred times faster than parsing them.
 */
import { parseIndexes } from "./index-format.ts";

/** False also if it is uncertain; then the text must be parsed as a whole. */
export function isStillInOrder(text: string, before: string, completions: number): boolean {
  const most = Math.min(text.length, before.length);
  const start = longest(most, (length) => text.slice(0, length) === before.slice(0, length));
  const end = longest(most - start, (length) => endOf(text, length) === endOf(before, length));
  // Whole fragments: from a comma in both texts to the next comma in both.
  const from = start === 0 ? -1 : text.lastIndexOf(",", start - 1);
  const to = end === 0 ? -1 : text.indexOf(",", text.length - end);
  const earlier = from < 0 ? "" : text.slice(text.lastIndexOf(",", from - 1) + 1, from);
  const later = to < 0 ? "" : text.slice(to + 1, next(text, to + 1));
  const changed = text.slice(from + 1, to < 0 ? text.length : to);
  const fragments = [earlier, changed, later].filter((each) => each !== "");
  if (changed === "" || fragments.length === 0) return false;
  const last = text.slice(Math.max(text.lastIndexOf(","), text.lastIndexOf("-")) + 1);
  if (!/^[0-9]{1,15}$/.test(last) || Number(last) >= completions) return false;
  return !("problem" in parseIndexes(fragments.join(","), completions));
}

function endOf(text: string, length: number): string {
  return text.slice(text.length - length);
}

function next(text: string, from: number): number {
  const comma = text.indexOf(",", from);
  return comma < 0 ? text.length : comma;
}

/**
 * The greatest length up to the limit for which `isTrue` holds. It must hold for all smaller ones.
 */
function longest(limit: number, isTrue: (length: number) => boolean): number {
  let [low, high] = [0, limit];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isTrue(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
