/** Pure: in which order pods came that were there before the scheduler. */
import { completionIndexOf } from "../../api/completion-index.ts";
import type { Pod } from "../../api/generated/core.ts";
import { controllerOf } from "../../api/owner-reference.ts";

/**
 * By age, which is known to the second. Of one Job within a second the lower index came first, as
 * its controller makes them: by name index 10 would come before index 2.
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
