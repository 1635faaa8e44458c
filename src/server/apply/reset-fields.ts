/** Pure: the fields that a request on a subresource does not write, and therefore does not own. */
import type { Kind } from "../../kinds/kind.ts";
import { type FieldSet, NO_FIELDS, recursiveDifference, setOfPath, union } from "./field-set.ts";

export type FilteredKind = Pick<Kind, "resource" | "subresources" | "isJsonOnly">;

/** `part` is the name of a subresource, "" for the object itself. */
export function fieldFilter(kind: FilteredKind, part: string): (fields: FieldSet) => FieldSet {
  const reset = resetFields(kind, part);
  return reset === NO_FIELDS ? (fields) => fields : (fields) => recursiveDifference(fields, reset);
}

function resetFields(kind: FilteredKind, part: string): FieldSet {
  const hasStatus = kind.subresources?.some(({ name }) => name === "status") ?? false;
  switch (part) {
    case "":
      return hasStatus ? STATUS : NO_FIELDS;
    case "finalize":
      return STATUS;
    case "status":
      return kind.isJsonOnly ? ALL_BUT_STATUS : (BESIDE_STATUS[kind.resource] ?? SPEC);
    default:
      return NO_FIELDS;
  }
}

const fieldsOf = (...paths: readonly string[][]): FieldSet =>
  paths.reduce((all, path) => union(all, setOfPath(path)), NO_FIELDS);

const STATUS = fieldsOf(["f:status"]);
const SPEC = fieldsOf(["f:spec"]);
const ALL_BUT_STATUS = fieldsOf(["f:spec"], ["f:metadata"]);

/** The fields that a status request does not change, for kinds where this is more than the spec. */
const BESIDE_STATUS: { readonly [resource: string]: FieldSet } = {
  customresourcedefinitions: ALL_BUT_STATUS,
  deployments: fieldsOf(["f:spec"], ["f:metadata", "f:labels"]),
  pods: fieldsOf(
    ["f:spec"],
    ["f:metadata", "f:deletionTimestamp"],
    ["f:metadata", "f:ownerReferences"],
  ),
};
