/** Pure: the conditions of Workflows and ScheduledJobs: Complete, Failed and Suspended. */
import type { Condition } from "../../api/generated/meta.ts";

export interface Stated {
  readonly type: "Complete" | "Failed" | "Suspended";
  readonly isMet: boolean;
  readonly reason: string;
  readonly message: string;
}

/**
 * A condition that was never met is omitted. An unchanged condition keeps its time and its
 * position.
 */
export function withConditions(
  before: readonly Condition[] | undefined,
  stated: readonly Stated[],
  now: string,
): readonly Condition[] {
  const all = [...(before ?? [])];
  for (const { type, isMet, reason, message } of stated) {
    const at = all.findIndex((each) => each.type === type);
    const known = all[at];
    const status = isMet ? "True" : "False";
    if (!known && !isMet) continue;
    if (known?.status === status && known.reason === reason && known.message === message) continue;
    const since = known?.status === status ? known.lastTransitionTime : now;
    const lastTransitionTime = since ?? now;
    const condition: Condition = { type, status, lastTransitionTime, reason, message };
    if (known) all[at] = condition;
    else all.push(condition);
  }
  return all;
}
