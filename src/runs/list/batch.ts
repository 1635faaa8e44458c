/**
 * Pure: groups items into batches, one batch per pod. A batch has its values on one line each. The
 * first and the last value are parameters too (FILE_FIRST, FILE_LAST), for programs that take
 * ranges.
 */

import { itemCount, joinBatch, type WorkList } from "../../api/work-list/work-list.ts";
import { UsageError } from "../../base/usage-error.ts";

export function batchList(list: WorkList, size: number, plain: readonly string[] = []): WorkList {
  const count = itemCount(list);
  const columns: string[][] = [];
  const edges: { readonly name: string; readonly column: string[] }[] = [];
  list.parameters.forEach((parameter, at) => {
    const values = list.columns[at] ?? [];
    refuseNewlines(parameter, values);
    const batches: string[] = [];
    const firsts: string[] = [];
    const lasts: string[] = [];
    for (let start = 0; start < count; start += size) {
      const batch = values.slice(start, start + size);
      batches.push(joinBatch(batch));
      firsts.push(batch[0] ?? "");
      lasts.push(batch.at(-1) ?? "");
    }
    columns.push(batches);
    if (plain.includes(parameter)) return;
    edges.push({ name: `${parameter}_FIRST`, column: firsts });
    edges.push({ name: `${parameter}_LAST`, column: lasts });
  });
  const derived = edges.map(({ name }) => name);
  return {
    parameters: [...list.parameters, ...derived],
    columns: [...columns, ...edges.map(({ column }) => column)],
    derived,
    isBatched: true,
  };
}

function refuseNewlines(parameter: string, values: readonly string[]): void {
  const index = values.findIndex((value) => value.includes("\n"));
  if (index === -1) return;
  throw new UsageError(
    `item ${index} has a newline in ${parameter}: with --batch newlines separate the values`,
  );
}
