/** Pure: the rows of tables in the order of a field of their objects. */

import { evaluatePath, type Path, PathError, parsePath } from "../../api/json-path.ts";
import { UsageError } from "../../base/usage-error.ts";
import type { TableRow, WireTable } from "./table.ts";

/** The path may come in braces and without its first dot: "{.metadata.name}", "metadata.name". */
export function sortTables(tables: readonly WireTable[], text: string): readonly WireTable[] {
  const path = parseSortPath(text);
  const keyed = tables.flatMap(({ rows }) =>
    (rows ?? []).map((row) => ({ row, key: keyOf(path, row) })),
  );
  if (keyed.length > 0 && keyed.every(({ key }) => key === undefined)) {
    throw new UsageError(`--sort-by: no object has the field ${text}`);
  }
  const rows = keyed.sort((one, other) => compareKeys(one.key, other.key)).map(({ row }) => row);
  return tables.slice(0, 1).map((table) => ({ ...table, rows }));
}

function parseSortPath(text: string): Path {
  try {
    return parsePath(text.replace(/^\{(.*)\}$/s, "$1"));
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    throw new UsageError(`--sort-by: ${error.message}`);
  }
}

function keyOf(path: Path, { object }: TableRow): unknown {
  return evaluatePath(path, { root: object, current: object })[0];
}

/** Numbers within texts count as numbers; what has no value comes first. */
function compareKeys(one: unknown, other: unknown): number {
  if (one === undefined || other === undefined) {
    return Number(one !== undefined) - Number(other !== undefined);
  }
  if (typeof one === "number" && typeof other === "number") return one - other;
  return ORDER.compare(String(one), String(other));
}

const ORDER = new Intl.Collator("en", { numeric: true });
