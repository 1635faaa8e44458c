/**
 * Pure: whether a text of indexes is in order, from one that was: only what differs is read.
 *
 * A status may name a hundred thousand indexes, and each update of it adds a few. Comparing texts
 * is a hundred times faster than reading them.
 */
import { parseIndexes } from "./index-format.ts";

/** False also where it is not sure: then the text has to be read as a whole. */
export function isStillInOrder(text: string, before: string, completions: number): boolean {
  const most = Math.min(text.length, before.length);
  const start = longest(most, (length) => text.slice(0, length) === before.slice(0, length));
  const end = longest(most - start, (length) => endOf(text, length) === endOf(before, length));
  // Whole fragments: from a comma that both have to the next that both have.
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

/** The greatest length up to the limit for which it is true, as it is for all smaller ones. */
function longest(limit: number, isTrue: (length: number) => boolean): number {
  let [low, high] = [0, limit];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isTrue(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
