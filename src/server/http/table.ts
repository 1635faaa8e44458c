/** Pure: objects as table rows, for clients that print them. */
import { badRequest } from "../../api/errors.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Kind } from "../../kinds/kind.ts";
import { createdAtColumn } from "../../kinds/meta/columns.ts";

export type IncludeObject = "None" | "Metadata" | "Object";

export interface Table {
  readonly kind: "Table";
  readonly apiVersion: string;
  readonly metadata: object;
  readonly columnDefinitions: readonly object[] | null;
  readonly rows: readonly object[] | null;
}

export type Printed = Pick<Kind, "columns" | "cells" | "rowConditions">;

export interface TableOptions {
  /** The version of meta.k8s.io: v1 or v1beta1. */
  readonly version: string;
  /** As the client sent it; validated only when a table is made. */
  readonly includeObject: string | null;
  readonly now: Date;
}

export function toTable(
  kind: Printed,
  objects: readonly KubeObject[],
  metadata: object,
  options: TableOptions,
  withColumns = true,
): Table {
  const includeObject = parseIncludeObject(options.includeObject);
  // Without objects, Go prints null rows for a kind that has no table of its own.
  const isBare = objects.length === 0 && kind.columns.includes(createdAtColumn);
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${options.version}`,
    metadata,
    columnDefinitions: withColumns ? columnDefinitions(kind) : null,
    rows: isBare
      ? null
      : objects.map((object) => {
          const conditions = kind.rowConditions?.(object) ?? [];
          return {
            cells: kind.cells(object, options.now),
            ...(conditions.length > 0 ? { conditions } : {}),
            object: rowObject(object, includeObject, options.version),
          };
        }),
  };
}

function columnDefinitions(kind: Printed): object[] {
  return kind.columns.map(({ name, type, format = "", description, priority = 0 }) => ({
    name,
    type,
    format,
    description,
    priority,
  }));
}

function rowObject(
  object: KubeObject,
  includeObject: IncludeObject,
  version: string,
): object | null {
  if (includeObject === "Object") return object;
  if (includeObject === "None") return null;
  return toPartialMetadata(object, version);
}

export function toPartialMetadata(object: KubeObject, version: string): object {
  const apiVersion = `meta.k8s.io/${version}`;
  return { kind: "PartialObjectMetadata", apiVersion, metadata: object.metadata };
}

export function parseIncludeObject(value: string | null): IncludeObject {
  if (value === null || value === "" || value === "Metadata") return "Metadata";
  if (value === "None" || value === "Object") return value;
  const rule = "must be 'Metadata', 'Object', 'None', or empty";
  const problem = `includeObject: Invalid value: ${JSON.stringify(value)}: ${rule}`;
  throw badRequest(`Unable to convert to Table as requested: ${problem}`);
}
