/** Pure: validates the counts in the status of a workload. */
import { type Finding, invalid } from "../../api/finding.ts";
import { validateNonnegative } from "../meta/object-meta.ts";

type Counts = { readonly [field: string]: unknown };

export function validateCounts(status: object, fields: readonly string[]): Finding[] {
  return fields.flatMap((field) => {
    const value = numberAt(status, field);
    return value === undefined ? [] : validateNonnegative(value, `status.${field}`);
  });
}

/** No part may exceed the number of replicas, and no more replicas can be available than ready. */
export function validateParts(status: object, parts: readonly string[]): Finding[] {
  const all = numberAt(status, "replicas") ?? 0;
  const findings = parts.flatMap((field) => {
    const value = numberAt(status, field) ?? 0;
    const detail = "cannot be greater than status.replicas";
    return value > all ? [invalid(`status.${field}`, value, detail)] : [];
  });
  const available = numberAt(status, "availableReplicas") ?? 0;
  if (available <= (numberAt(status, "readyReplicas") ?? 0)) return findings;
  const detail = "cannot be greater than readyReplicas";
  return [...findings, invalid("status.availableReplicas", available, detail)];
}

/** The count makes names unique, so it must not decrease: a name would be used again. */
export function validateCollisionCount(next: object, old: object): Finding[] {
  const [count, before] = [numberAt(next, "collisionCount"), numberAt(old, "collisionCount")];
  if (before === undefined || (count ?? -1) >= before) return [];
  return [invalid("status.collisionCount", count ?? 0, "cannot be decremented")];
}

function numberAt(status: object, field: string): number | undefined {
  const value = (status as Counts)[field];
  return typeof value === "number" ? value : undefined;
}
