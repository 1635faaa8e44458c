/** Pure: whether a Job has finished, and how. */
import type { Job, JobCondition } from "./generated/batch.ts";

type WithStatus = Pick<Job, "status">;

export function isFinished(job: WithStatus): boolean {
  return finishOf(job) !== undefined;
}

/** The condition that marks it as finished. */
export function finishOf({ status }: WithStatus): JobCondition | undefined {
  return status.conditions?.find(
    ({ type, status: met }) => (type === "Complete" || type === "Failed") && met === "True",
  );
}

/** True if it failed before all its indexes had ended, so its status does not list all of them. */
export function wasCutShort(job: WithStatus): boolean {
  const finish = finishOf(job);
  return finish?.type === "Failed" && finish.reason !== "FailedIndexes";
}

/** True while the last pods of an ending Job are being stopped. They are not retried. */
export function isEnding({ status }: WithStatus, type: "FailureTarget" | "SuccessCriteriaMet") {
  return (status.conditions ?? []).some((each) => each.type === type && each.status === "True");
}
