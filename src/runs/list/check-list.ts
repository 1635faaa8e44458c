/** Pure: checks the names and values of a list. */

import { COMPLETION_INDEX_VARIABLE } from "../../api/work-list/names.ts";
import { MAX_VARIABLE_BYTES } from "../../api/work-list/stored-list.ts";
import {
  isParameterName,
  itemCount,
  itemName,
  valuesAt,
  type WorkList,
} from "../../api/work-list/work-list.ts";
import { UsageError } from "../../base/usage-error.ts";

export function checkList(list: WorkList): void {
  const seen = new Set<string>();
  for (const name of list.parameters) {
    checkName(name);
    if (seen.has(name)) throw new UsageError(`the parameter ${name} is given twice`);
    seen.add(name);
  }
  checkLengths(list);
  for (const [at, column] of list.columns.entries()) checkValues(list, at, column);
}

function checkName(name: string): void {
  if (!isParameterName(name)) {
    throw new UsageError(
      `the parameter ${JSON.stringify(name)} must be named like a shell variable: letters, ` +
        "digits and _, no digit first",
    );
  }
  if (name === COMPLETION_INDEX_VARIABLE)
    throw new UsageError(`the parameter ${name} is Kubernetes' own`);
}

function checkLengths(list: WorkList): void {
  const count = itemCount(list);
  list.columns.forEach((column, at) => {
    if (column.length === count) return;
    const [first, other] = [list.parameters[0], list.parameters[at]];
    throw new UsageError(
      `${first} has ${count} values and ${other} has ${column.length}: they must be equally many`,
    );
  });
}

function checkValues(list: WorkList, at: number, column: readonly string[]): void {
  const room = MAX_VARIABLE_BYTES - (list.parameters[at] ?? "").length - 2;
  for (let index = 0; index < column.length; index++) {
    const value = column[index] ?? "";
    // A UTF-16 unit takes at most three bytes in UTF-8.
    if (value.length * 3 <= room && !value.includes("\0")) continue;
    if (value.includes("\0")) throw new UsageError(`${labelOf(list, index)} contains a NUL byte`);
    const bytes = Buffer.byteLength(value);
    if (bytes <= room) continue;
    throw new UsageError(
      `${labelOf(list, index)} has a value of ${bytes} bytes, and a variable holds ${room}`,
    );
  }
}

function labelOf(list: WorkList, index: number): string {
  return `item ${index} (${itemName(list, valuesAt(list, index))})`;
}
