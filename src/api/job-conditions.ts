/** Pure: what the conditions of a Job state: whether it has finished, and how. */
import type { Job, JobCondition } from "./generated/batch.ts";

export type JobConditionType =
  | "Complete"
  | "Failed"
  | "FailureTarget"
  | "SuccessCriteriaMet"
  | "Suspended";

type WithStatus = Pick<Job, "status">;

/** The condition of this type, if it is met. */
export function findCondition(
  { status }: WithStatus,
  wanted: JobConditionType,
): JobCondition | undefined {
  return status.conditions?.find(({ type, status: met }) => type === wanted && met === "True");
}

export function hasCondition(job: WithStatus, type: JobConditionType): boolean {
  return findCondition(job, type) !== undefined;
}

export interface JobFinish extends JobCondition {
  readonly type: "Complete" | "Failed";
}

/** The condition that states the end of the Job; undefined for a Job that has not finished. */
export function finishOf(job: WithStatus): JobFinish | undefined {
  return (findCondition(job, "Complete") ?? findCondition(job, "Failed")) as JobFinish | undefined;
}

export function isFinished(job: WithStatus): boolean {
  return finishOf(job) !== undefined;
}

/** The Job failed before all of its indexes ended: its status does not name all failed indexes. */
export function wasCutShort(job: WithStatus): boolean {
  const finish = finishOf(job);
  return finish?.type === "Failed" && finish.reason !== "FailedIndexes";
}

/** The verdict is stated and the last pods are being stopped; Complete or Failed follows. */
export function isEndAnnounced(job: WithStatus): boolean {
  return hasCondition(job, "SuccessCriteriaMet") || hasCondition(job, "FailureTarget");
}
