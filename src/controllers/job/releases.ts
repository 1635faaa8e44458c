/**
 * Pure: decides which pods may lose their finalizer now, and what the status must contain first.
 */
import type { Job } from "../../api/generated/batch.ts";
import { findCondition } from "../../api/job-conditions.ts";
import { letsSurplusFinish } from "./annotations.ts";
import { type Failure, type FailureAction, judgeFailure } from "./failure-policy.ts";
import { isBeingDeleted, isIndexed } from "./job-facts.ts";
import { MAX_UNCOUNTED_PODS } from "./names.ts";
import { isOver, type KnownPod, type Scoreboard } from "./scoreboard.ts";
import type { Verdict } from "./verdict.ts";

export interface Releases {
  readonly pods: readonly KnownPod[];
  /** UIDs to add to status.uncountedTerminatedPods. */
  readonly succeeded: readonly string[];
  readonly failed: readonly string[];
  /** The actions that the failure policy took for these pods, for the metric. */
  readonly actions: readonly FailureAction[];
  /** More pods have to wait for the next status, so the Job cannot finish in this sync. */
  readonly hasMore: boolean;
}

/**
 * Chooses finished pods. If the Job is being deleted, chooses all pods; also when it ends, unless
 * each pod is counted by how it ends. A succeeded pod of an Indexed Job is not listed by UID: its
 * index cannot be counted twice.
 */
export function chooseReleases(
  job: Job,
  board: Scoreboard,
  verdict: Verdict | undefined,
): Releases {
  const { succeeded = [], failed = [] } = job.status.uncountedTerminatedPods ?? {};
  const named = new Set([...succeeded, ...failed]);
  const chosen = {
    pods: [...named].flatMap((uid) => board.tracked.get(uid) ?? []),
    succeeded: [] as string[],
    failed: [] as string[],
    actions: [] as FailureAction[],
    hasMore: false,
  };
  let entries = named.size;
  const releasesAll = verdict !== undefined || isBeingDeleted(job);
  const awaitsEnds = letsSurplusFinish(job) && !isBeingDeleted(job);
  for (const known of (releasesAll ? board.tracked : board.finished).values()) {
    if (named.has(known.uid) || (awaitsEnds && !isOver(known))) continue;
    if (entries >= MAX_UNCOUNTED_PODS) {
      chosen.hasMore = true;
      break;
    }
    chosen.pods.push(known);
    const end = countedAs(job, known, verdict);
    if (end === undefined) continue;
    const failure = end === "failed" ? failureOf(job, known) : undefined;
    if (failure?.action) chosen.actions.push(failure.action);
    if (failure?.isCounted === false) continue;
    entries++;
    if (failure) chosen.failed.push(known.uid);
    else if (!isIndexed(job.spec)) chosen.succeeded.push(known.uid);
  }
  return chosen;
}

/**
 * When a Job fails, pods that still run count as failed. When it succeeds, pods that are stopped
 * for that reason do not count: pods that had to be counted are listed in the status that announced
 * the success.
 */
function countedAs(
  job: Job,
  { stage, failure, hasPlace, isRerun }: KnownPod,
  verdict: Verdict | undefined,
): "succeeded" | "failed" | undefined {
  if (!hasPlace) return undefined;
  if (stage === "succeeded") return "succeeded";
  if (isRerun) return undefined;
  if (stage === "terminating" && findCondition(job, "SuccessCriteriaMet")) return undefined;
  return failure || verdict?.type === "FailureTarget" ? "failed" : undefined;
}

/** The policy is also applied to a pod that still runs, for example one that is being evicted. */
function failureOf({ spec }: Job, { pod, failure }: KnownPod): Failure {
  return failure ?? judgeFailure(spec.podFailurePolicy, pod);
}
