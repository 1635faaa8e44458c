/** Pure: the table columns of a definition, and their cells. */
import type { CustomResourceColumnDefinition } from "../../api/generated/apiextensions.ts";
import { evaluatePath, type Path, parsePath } from "../../api/json-path.ts";
import type { KubeObject } from "../../api/object.ts";
import { age } from "../../api/print/age.ts";
import type { Cell, Column } from "../kind.ts";
import { createdAtColumn, nameColumn } from "../meta/columns.ts";

export interface Printed {
  readonly columns: readonly Column[];
  readonly cells: (object: KubeObject, now: Date) => Cell[];
}

const AGE: CustomResourceColumnDefinition = {
  name: "Age",
  type: "date",
  description: createdAtColumn.description,
  jsonPath: ".metadata.creationTimestamp",
};

export function printedColumns(
  defined: readonly CustomResourceColumnDefinition[] | undefined,
): Printed {
  const shown = defined && defined.length > 0 ? defined : [AGE];
  const readers = shown.map(cellReader);
  return {
    columns: [nameColumn, ...shown.map(columnOf)],
    cells: (object, now) => [
      object.metadata.name ?? "",
      ...readers.map((read) => read(object, now)),
    ],
  };
}

function columnOf(defined: CustomResourceColumnDefinition): Column {
  const { name, type, format, description, priority, jsonPath } = defined;
  return {
    name,
    type: type as Column["type"],
    ...(format ? { format } : {}),
    ...(priority ? { priority } : {}),
    description:
      description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
  };
}

function cellReader({
  type,
  jsonPath,
}: CustomResourceColumnDefinition): (object: KubeObject, now: Date) => Cell {
  const path = findPath(jsonPath);
  return (object, now) => {
    const value = path && firstAt(path, object);
    if (value === undefined) return null;
    return type === "string" ? textOf(value) : cellOf(type, value, now);
  };
}

function findPath(jsonPath: string): Path | undefined {
  try {
    return parsePath(jsonPath);
  } catch {
    return undefined;
  }
}

function firstAt(path: Path, object: KubeObject): unknown {
  try {
    return evaluatePath(path, { root: object, current: object })[0];
  } catch {
    return undefined;
  }
}

/** The format of Go's templates: values that are not strings are printed as JSON. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === null ? "<nil>" : JSON.stringify(value);
}

function cellOf(type: string, value: unknown, now: Date): Cell {
  switch (type) {
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      if (typeof value !== "string") return null;
      return Number.isNaN(Date.parse(value)) ? "<invalid>" : age(value, now);
    default:
      return null;
  }
}
