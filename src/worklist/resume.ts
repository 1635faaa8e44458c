/**
 * Pure: going on with a list that was edited. An item is what its values are; where the same values
 * are there several times, the first is the first again, the second the second. So what is done is
 * recognised wherever it stands now, and nothing else is ever taken for it.
 */
import {
  addIndex,
  emptyIndexes,
  formatIndexes,
  hasIndex,
  type IndexSet,
  parseIndexes,
} from "../api/index-set.ts";
import { UsageError } from "../base/usage-error.ts";
import { itemCount, itemName, valuesAt, type WorkList } from "./work-list.ts";

export interface ResumePlan {
  /** Of the new list: done already. */
  readonly completed: IndexSet;
  /** Of the new list: not in the old one. */
  readonly added: readonly number[];
  /** Of the old list: not in the new one. */
  readonly removed: readonly number[];
}

export interface FormerRun {
  readonly list: WorkList;
  /** Indexes of its list that have succeeded. */
  readonly completed: IndexSet;
}

export function planResume(former: FormerRun, list: WorkList): ResumePlan {
  refuseOtherParameters(former.list, list);
  const [before, now] = [keysOf(former.list), keysOf(list)];
  const completed = emptyIndexes();
  const carryOver = (formerIndex: number, index: number): void => {
    if (hasIndex(former.completed, formerIndex)) addIndex(completed, index);
  };
  // What is the same at the beginning, mostly all, is as often there before as now.
  const same = commonLength(before, now);
  for (let index = 0; index < same; index++) carryOver(index, index);
  const places = placesOf(before, same);
  const added: number[] = [];
  for (let index = same; index < now.length; index++) {
    const formerIndex = places.get(now[index] ?? "")?.pop();
    if (formerIndex === undefined) added.push(index);
    else carryOver(formerIndex, index);
  }
  const removed = [...places.values()].flat().sort((one, other) => one - other);
  return { completed, added, removed };
}

/** For people: what a plan does not run any more. */
export function removedNames({ list }: FormerRun, { removed }: ResumePlan): readonly string[] {
  return removed.map((index) => itemName(list, valuesAt(list, index)));
}

function refuseOtherParameters(former: WorkList, list: WorkList): void {
  const [before, now] = [identifying(former), identifying(list)];
  const isSame = before.length === now.length && before.every((name) => now.includes(name));
  if (isSame && former.isBatched === list.isBatched) return;
  const described = ({ isBatched }: WorkList, names: readonly string[]) =>
    `${names.join(", ")}${isBatched ? " in batches" : ""}`;
  throw new UsageError(
    `the run had items of ${described(former, before)}, and these are of ` +
      `${described(list, now)}: what is done cannot be told`,
  );
}

function identifying({ parameters, derived }: WorkList): readonly string[] {
  return parameters.filter((parameter) => !derived?.includes(parameter));
}

/** In the order of the names, so that columns may change places. */
function keysOf(list: WorkList): readonly string[] {
  const columns = [...identifying(list)]
    .sort()
    .map((name) => list.columns[list.parameters.indexOf(name)] ?? []);
  const [only = []] = columns;
  if (columns.length === 1) return only;
  // No value contains a NUL byte.
  return Array.from({ length: itemCount(list) }, (_, index) =>
    columns.map((column) => column[index]).join("\0"),
  );
}

function commonLength(one: readonly string[], other: readonly string[]): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one[length] === other[length]) length++;
  return length;
}

/** From there on, the indexes of each item, the first one last. */
function placesOf(keys: readonly string[], from: number): ReadonlyMap<string, number[]> {
  const places = new Map<string, number[]>();
  for (let index = keys.length - 1; index >= from; index--) {
    const key = keys[index] ?? "";
    const known = places.get(key);
    if (known) known.push(index);
    else places.set(key, [index]);
  }
  return places;
}

/** All annotations of a Job together may have 256 KiB. */
const MAX_COMPLETED_TEXT = 200_000;

export interface OrderedResume {
  readonly list: WorkList;
  readonly completed: IndexSet;
}

/**
 * What is done has to fit into an annotation. Where it is scattered over a long list it does not:
 * then the items change places, those that are done first, which is one range.
 */
export function fitResume(list: WorkList, completed: IndexSet): OrderedResume {
  if (formatIndexes(completed).length <= MAX_COMPLETED_TEXT) return { list, completed };
  const order: number[] = [];
  const rest: number[] = [];
  const count = itemCount(list);
  for (let index = 0; index < count; index++) {
    (hasIndex(completed, index) ? order : rest).push(index);
  }
  const done = parseIndexes(`0-${order.length - 1}`, count);
  for (const index of rest) order.push(index);
  const columns = list.columns.map((column) => order.map((index) => column[index] ?? ""));
  return { list: { ...list, columns }, completed: done };
}
