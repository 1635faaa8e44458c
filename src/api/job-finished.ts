/** Pure: whether a Job has come to its end. */
import type { Job } from "./generated/batch.ts";

export function isFinished({ status }: Pick<Job, "status">): boolean {
  return (status.conditions ?? []).some(
    ({ type, status: met }) => (type === "Complete" || type === "Failed") && met === "True",
  );
}
