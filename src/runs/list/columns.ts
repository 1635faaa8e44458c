/** Pure: the columns of a list: joined from several sources, or shuffled. */

import { itemCount, type WorkList } from "../../api/work-list/work-list.ts";
import { UsageError } from "../../base/usage-error.ts";

/** A column, and the flag by which errors name it. */
export interface NamedColumn {
  readonly flag: string;
  readonly name: string;
  readonly values: readonly string[];
}

export function joinColumns(columns: readonly NamedColumn[]): WorkList {
  const [first] = columns;
  for (const { flag, values } of columns) {
    if (!first || values.length === first.values.length) continue;
    throw new UsageError(
      `${first.flag} has ${valueCount(first.values)} and ${flag} has ${valueCount(values)}: ` +
        "they must be equally many",
    );
  }
  return {
    parameters: columns.map(({ name }) => name),
    columns: columns.map(({ values }) => values),
  };
}

function valueCount({ length }: readonly string[]): string {
  return length === 1 ? "1 value" : `${length} values`;
}

/**
 * The same items in random order.
 *
 * @param draw returns a random whole number below the limit
 */
export function shuffleList(list: WorkList, draw: (limit: number) => number): WorkList {
  const order = Array.from({ length: itemCount(list) }, (_, index) => index);
  for (let left = order.length - 1; left > 0; left--) {
    const other = draw(left + 1);
    const moved = order[left] ?? 0;
    order[left] = order[other] ?? 0;
    order[other] = moved;
  }
  const columns = list.columns.map((column) => order.map((index) => column[index] ?? ""));
  return { ...list, columns };
}
