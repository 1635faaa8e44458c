/** Pure: which pods may lose their finalizer now, and what the status must say of them before. */
import type { Job } from "../../api/generated/batch.ts";
import type { FailureAction } from "./failure-policy.ts";
import { isBeingDeleted, isIndexed } from "./job-facts.ts";
import { MAX_UNCOUNTED_PODS } from "./names.ts";
import type { KnownPod, Scoreboard } from "./scoreboard.ts";
import type { Verdict } from "./verdict.ts";

export interface Releases {
  readonly pods: readonly KnownPod[];
  /** UIDs to add to status.uncountedTerminatedPods. */
  readonly succeeded: readonly string[];
  readonly failed: readonly string[];
  /** The failure policy's answers to these pods, for the metric. */
  readonly actions: readonly FailureAction[];
  /** Others wait for the next status: the Job cannot finish in this sync. */
  readonly hasMore: boolean;
}

/**
 * Pods that are over; at the end of the Job and when it is being deleted all of them. A success of
 * an Indexed Job needs no UID: its index cannot be counted twice.
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
  for (const known of (releasesAll ? board.tracked : board.finished).values()) {
    if (named.has(known.uid)) continue;
    if (entries >= MAX_UNCOUNTED_PODS) {
      chosen.hasMore = true;
      break;
    }
    chosen.pods.push(known);
    const end = countedAs(known, verdict);
    if (end === undefined) continue;
    if (end === "failed" && known.failure?.action) chosen.actions.push(known.failure.action);
    if (end === "failed" && known.failure?.isCounted === false) continue;
    entries++;
    if (end === "failed") chosen.failed.push(known.uid);
    else if (!isIndexed(job.spec)) chosen.succeeded.push(known.uid);
  }
  return chosen;
}

/** When a Job fails, whatever still runs fails with it. */
function countedAs(
  { stage, failure, hasPlace }: KnownPod,
  verdict: Verdict | undefined,
): "succeeded" | "failed" | undefined {
  if (!hasPlace) return undefined;
  if (stage === "succeeded") return "succeeded";
  return failure || verdict?.type === "FailureTarget" ? "failed" : undefined;
}
