/** Pure: the order of pods that existed before the scheduler started. */
import { completionIndexOf } from "../../api/completion-index.ts";
import type { Pod } from "../../api/generated/core.ts";
import { controllerOf } from "../../api/owner-reference.ts";

/**
 * By creation time, which has a resolution of one second. Within a second, pods of one Job are
 * ordered by index, because the Job controller creates them in that order. Ordering by name would
 * put index 10 before index 2.
 */
export function compareArrival(one: Pod, other: Pod): number {
  return (
    compareTexts(createdOf(one), createdOf(other)) ||
    compareTexts(controllerOf(one)?.uid ?? "", controllerOf(other)?.uid ?? "") ||
    (completionIndexOf(one) ?? 0) - (completionIndexOf(other) ?? 0)
  );
}

function createdOf({ metadata }: Pod): string {
  return metadata.creationTimestamp ?? "";
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
