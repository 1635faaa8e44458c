/**
 * Pure: plans how a run continues with an edited list. Items are identified by their values; equal
 * items are matched in order, the first with the first. So an item keeps its history wherever it is
 * in the new list, and never gets the history of another item.
 *
 * An item that is no longer listed keeps a row behind the listed ones: if it is added again, it is
 * still done.
 */
import { addIndex, emptyIndexes, hasIndex, type IndexSet } from "../../api/index-set.ts";
import { continueHistory, type FormerJob } from "../../api/work-list/item-history.ts";
import type { ListPast } from "../../api/work-list/stored-list.ts";
import { itemCount, itemName, valuesAt, type WorkList } from "../../api/work-list/work-list.ts";
import { UsageError } from "../../base/usage-error.ts";

export interface FormerRun {
  readonly list: WorkList;
  readonly past: ListPast;
  /** Indexes that have succeeded. */
  readonly completed: IndexSet;
  /** The Jobs that had the list, oldest first. */
  readonly jobs: readonly FormerJob[];
}

export interface ResumePlan {
  /** Indexes of the new list that are done. */
  readonly completed: IndexSet;
  /** Indexes of the new list whose items are new. */
  readonly added: readonly number[];
  /** The names of items that are not in the new list. */
  readonly removed: readonly string[];
  /** The history to store with the new list. */
  readonly past: ListPast;
  /** Whether some row has another item than before. New rows at the end do not count. */
  readonly isMoved: boolean;
}

export function planResume(former: FormerRun, list: WorkList): ResumePlan {
  refuseOtherParameters(former.list, list);
  const rows = withKept(former);
  const { sources, unused } = matchRows(keysOf(rows), keysOf(list));
  const listed = itemCount(former.list);
  const isDone = (row: number) => hasIndex(row < listed ? former.completed : former.past.done, row);
  const all = [...sources, ...unused];
  const done = emptyIndexes();
  const completed = emptyIndexes();
  for (const [row, source] of all.entries()) {
    if (source === undefined || !isDone(source)) continue;
    addIndex(done, row);
    if (row < sources.length) addIndex(completed, row);
  }
  const removed = unused.filter((row) => row < listed);
  return {
    completed,
    added: sources.flatMap((source, index) => (source === undefined ? [index] : [])),
    removed: removed.map((row) => itemName(former.list, valuesAt(former.list, row))),
    past: {
      history: continueHistory({ history: former.past.history, jobs: former.jobs }, all),
      done,
      kept: list.parameters.map((parameter) => columnOf(rows, parameter, unused)),
    },
    isMoved: unused.length > 0 || sources.some((source, index) => (source ?? index) !== index),
  };
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

/** The listed items, then those that an earlier resume removed. */
function withKept({ list, past }: FormerRun): WorkList {
  if ((past.kept[0]?.length ?? 0) === 0) return list;
  const columns = list.columns.map((column, at) => [...column, ...(past.kept[at] ?? [])]);
  return { ...list, columns };
}

/** The values of a parameter in these rows; a computed parameter may be new. */
function columnOf(rows: WorkList, parameter: string, wanted: readonly number[]): readonly string[] {
  const column = rows.columns[rows.parameters.indexOf(parameter)] ?? [];
  return wanted.map((row) => column[row] ?? "");
}

interface Matched {
  /** For each new row the former row. */
  readonly sources: readonly (number | undefined)[];
  /** Former rows that no new row has, in order. */
  readonly unused: readonly number[];
}

function matchRows(before: readonly string[], now: readonly string[]): Matched {
  const sources: (number | undefined)[] = [];
  // Most lists begin with the same items, which are matched without a table.
  const same = commonLength(before, now);
  for (let row = 0; row < same; row++) sources.push(row);
  const rows = rowsByKey(before, same);
  for (let row = same; row < now.length; row++) sources.push(rows.get(now[row] ?? "")?.pop());
  const unused = [...rows.values()].flat().sort((one, other) => one - other);
  return { sources, unused };
}

/** Columns are sorted by name, so that their order does not matter. */
function keysOf(list: WorkList): readonly string[] {
  const columns = [...identifying(list)]
    .sort()
    .map((name) => list.columns[list.parameters.indexOf(name)] ?? []);
  const [only = []] = columns;
  if (columns.length === 1) return only;
  // NUL separates the values: no value contains it.
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

/** The rows of each item from there on, in reverse order. */
function rowsByKey(keys: readonly string[], from: number): ReadonlyMap<string, number[]> {
  const rows = new Map<string, number[]>();
  for (let row = keys.length - 1; row >= from; row--) {
    const key = keys[row] ?? "";
    const known = rows.get(key);
    if (known) known.push(row);
    else rows.set(key, [row]);
  }
  return rows;
}
