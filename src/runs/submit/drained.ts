/** Pure: whether no process of a Job is left, and every success is counted. */
import { drainedNodes } from "../../api/drained.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import { hasCondition, isFinished } from "../../api/job-conditions.ts";
import { isTracked } from "../../api/job-tracking.ts";
import { runsAhead } from "../../api/pods-ahead.ts";
import { isOver } from "../follow/attempt.ts";

export function isDrained(job: Job, pods: readonly Pod[]): boolean {
  if (isFinished(job)) return true;
  if (!isCounted(job) || pods.some(isUncounted)) return false;
  const open = pods.filter((pod) => !isOver(pod));
  if (job.spec.suspend) return isSuspended(job) && open.length === 0;
  if (job.spec.parallelism !== 0) return false;
  if (!runsAhead(job)) return open.length === 0 && (job.status.active ?? 0) === 0;
  const stated = drainedNodes(job);
  const isStated = ({ spec }: Pod) => !spec.nodeName || stated.has(spec.nodeName);
  return stated.size > 0 && open.every(isStated);
}

/** The same, judged by the Job alone: for a caller that follows its pods anyway. */
export function isJobDrained(job: Job): boolean {
  if (!isCounted(job)) return false;
  if (job.spec.suspend) return isSuspended(job);
  if (job.spec.parallelism !== 0) return false;
  return runsAhead(job) ? drainedNodes(job).size > 0 : (job.status.active ?? 0) === 0;
}

function isCounted({ status }: Job): boolean {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  return succeeded.length + failed.length === 0;
}

/** The controller has suspended the Job, and its pods are gone. */
function isSuspended({ status }: Job): boolean {
  const { active = 0, terminating = 0 } = status;
  return hasCondition({ status }, "Suspended") && active === 0 && terminating === 0;
}

/**
 * A success that the completed indexes do not have yet. Failures are not waited for: with a limit
 * per index a failure is counted when the next attempt starts, and the ledger has it.
 */
function isUncounted(pod: Pod): boolean {
  return pod.status.phase === "Succeeded" && isTracked(pod);
}
