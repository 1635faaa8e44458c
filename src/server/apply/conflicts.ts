/** Pure: conflicts with fields that another manager owns with another value, and their error. */
import { ApiError } from "../../api/errors.ts";
import { quote } from "../../api/finding.ts";
import { difference, type FieldSet, isEmptySet, NO_FIELDS, union } from "./field-set.ts";
import type { ManagerName } from "./managed-fields.ts";
import { formatPath, pathsOf } from "./path-element.ts";

export interface Conflict {
  readonly manager: ManagerName;
  readonly fields: FieldSet;
}

export class ApplyConflicts extends Error {
  override readonly name = "ApplyConflicts";
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super("the fields have other owners");
    this.conflicts = conflicts;
  }
}

export function conflictingFields(conflicts: readonly Conflict[]): FieldSet {
  return conflicts.reduce((all, { fields }) => union(all, fields), NO_FIELDS);
}

/** The remaining conflicts if some fields are allowed. */
export function withoutFields(conflicts: readonly Conflict[], allowed: FieldSet): Conflict[] {
  return conflicts
    .map(({ manager, fields }) => ({ manager, fields: difference(fields, allowed) }))
    .filter(({ fields }) => !isEmptySet(fields));
}

export function conflictError(conflicts: readonly Conflict[]): ApiError {
  const listed = conflicts.flatMap(({ manager, fields }) =>
    pathsOf(fields).map((path) => ({ who: describeManager(manager), path: formatPath(path) })),
  );
  const causes = listed.map(({ who, path }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${who}`,
    field: path,
  }));
  return new ApiError(409, "Conflict", conflictMessage(listed), { causes });
}

function conflictMessage(listed: readonly { readonly who: string; readonly path: string }[]) {
  const [only] = listed;
  if (only !== undefined && listed.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${only.who}: ${only.path}`;
  }
  const lines: string[] = [];
  let last: string | undefined;
  for (const { who, path } of listed) {
    if (who !== last) lines.push(`conflicts with ${who}:`);
    lines.push(`- ${path}`);
    last = who;
  }
  return `Apply failed with ${listed.length} conflicts: ${lines.join("\n")}`;
}

function describeManager({ manager, operation, apiVersion, subresource }: ManagerName): string {
  const name = quote(manager);
  const place = subresource === "" ? name : `${name} with subresource ${quote(subresource)}`;
  return operation === "Update" ? `${place} using ${apiVersion}` : place;
}
