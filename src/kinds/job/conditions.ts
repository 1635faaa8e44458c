/** Pure: reads the conditions of a Job. */
import type { JobStatus } from "../../api/generated/batch.ts";

export type JobConditionType =
  | "Complete"
  | "Failed"
  | "FailureTarget"
  | "SuccessCriteriaMet"
  | "Suspended";

export function hasCondition(status: JobStatus, type: JobConditionType): boolean {
  return (status.conditions ?? []).some(
    (condition) => condition.type === type && condition.status === "True",
  );
}

export function isFinished(status: JobStatus): boolean {
  return hasCondition(status, "Complete") || hasCondition(status, "Failed");
}
