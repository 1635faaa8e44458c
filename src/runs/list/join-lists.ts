/** Pure: lists side by side, their items one to one. */

import type { WorkList } from "../../api/work-list/work-list.ts";
import { UsageError } from "../../base/usage-error.ts";

/** Columns, and how an error calls them. */
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
