/** Pure: whether a Job has come to its end, and to which. */
import type { Job, JobCondition } from "./generated/batch.ts";

type WithStatus = Pick<Job, "status">;

export function isFinished(job: WithStatus): boolean {
  return finishOf(job) !== undefined;
}

/** The condition that says so. */
export function finishOf({ status }: WithStatus): JobCondition | undefined {
  return status.conditions?.find(
    ({ type, status: met }) => (type === "Complete" || type === "Failed") && met === "True",
  );
}

/** It failed before each of its indexes came to an end: its status does not name all of them. */
export function wasCutShort(job: WithStatus): boolean {
  const finish = finishOf(job);
  return finish?.type === "Failed" && finish.reason !== "FailedIndexes";
}

/** What a Job says while its last pods are ended: they are not retried. */
export function isEnding({ status }: WithStatus, type: "FailureTarget" | "SuccessCriteriaMet") {
  return (status.conditions ?? []).some((each) => each.type === type && each.status === "True");
}
