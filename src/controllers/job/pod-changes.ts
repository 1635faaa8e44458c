/**
 * Pure: decides how many pods to create or remove, and which. A sync never does both: surplus pods
 * and pods with an invalid index are removed first.
 */
import type { Job } from "../../api/generated/batch.ts";
import { firstMissing } from "../../api/index-set.ts";
import { podsAheadOf } from "../../api/pods-ahead.ts";
import type { Backoff } from "../../base/backoff.ts";
import { lastsUntilPodsEnd, letsOthersOvertake, letsSurplusFinish } from "./annotations.ts";
import { remainingMs } from "./backoff.ts";
import { isIndexed, isSuspended, limitsEachIndex, replacesOnlyFailed } from "./job-facts.ts";
import { MAX_POD_CHANGES } from "./names.ts";
import { failuresBefore, finishedMs } from "./pod-facts.ts";
import { compareForRemoval } from "./removal-order.ts";
import { rerunsToStart } from "./reruns.ts";
import { failuresOf, type KnownPod, type Scoreboard } from "./scoreboard.ts";
import type { Tally } from "./tally.ts";
import { hasTooManyFailed } from "./verdict.ts";

/** A pod to create. */
export interface PlannedPod {
  readonly index?: number;
  /** If each index has its own limit: the failures of the index so far, counted and ignored. */
  readonly failures?: { readonly counted: number; readonly ignored: number };
  /** The pod is a re-run of an index that has already ended. */
  readonly isRerun?: true;
}

/** The failures that a Job waits after. */
export type WaitedFor = { readonly failedPods: number } | { readonly failedIndexes: number };

export type PodChanges =
  /** No decision was made, because the Job is being deleted. */
  | { readonly kind: "leave" }
  | { readonly kind: "keep" }
  /**
   * Pods are missing, but the back-off after a failure is not over, or the work list does not exist
   * yet.
   */
  | { readonly kind: "wait"; readonly delayMs: number; readonly after?: WaitedFor }
  | {
      readonly kind: "create";
      readonly pods: readonly PlannedPod[];
      readonly hasMore: boolean;
      /** When the back-off of the next waiting index ends. */
      readonly delayMs?: number;
    }
  /** The finalizer is removed first, so these pods never count as failed. */
  | { readonly kind: "remove"; readonly pods: readonly KnownPod[]; readonly hasMore: boolean }
  /** Each pod is counted by how it ends, see letsSurplusFinish. */
  | { readonly kind: "stop"; readonly pods: readonly KnownPod[] }
  /** The Job has ended. Finalizers stay until each pod is counted. */
  | { readonly kind: "terminate"; readonly pods: readonly KnownPod[] };

export interface Situation {
  readonly job: Job;
  /** Does not change between the observation and the end of the sync. */
  readonly board: Scoreboard;
  readonly tally: Tally;
  readonly nowMs: number;
  readonly backoff: Backoff;
  /** Default 500. */
  readonly podsPerSync?: number;
  /** When the Job started, if its status does not contain it yet. */
  readonly startTime?: string;
}

export function decidePodChanges(situation: Situation): PodChanges {
  const { job, board, tally, podsPerSync = MAX_POD_CHANGES } = situation;
  if (isSuspended(job)) {
    const pods = [...board.active.values()];
    return letsSurplusFinish(job)
      ? { kind: "stop", pods }
      : { kind: "remove", pods, hasMore: false };
  }
  const wanted = wantedPods(job, tally, board);
  const surplus = podsToRemove(job, board, Math.max(0, tally.active - wanted));
  if (surplus.length > 0) {
    const hasMore = surplus.length > podsPerSync;
    return { kind: "remove", pods: surplus.slice(0, podsPerSync), hasMore };
  }
  const held = replacesOnlyFailed(job.spec) ? tally.terminating : 0;
  const missing = wanted - tally.active - held;
  if (missing <= 0 || (lastsUntilPodsEnd(job) && hasTooManyFailed(job, board))) {
    return { kind: "keep" };
  }
  return decideCreation(situation, missing);
}

function wantedPods(job: Job, { active, succeeded }: Tally, { reruns }: Scoreboard): number {
  const { spec } = job;
  const parallelism = (spec.parallelism ?? 1) + podsAheadOf(job);
  if (spec.completions !== undefined) {
    const unfinished = spec.completions - succeeded + reruns.left.size;
    return Math.max(0, Math.min(parallelism, unfinished));
  }
  // Without completions, pods work on a queue. When one succeeds, the queue is empty and the others
  // are left to finish.
  return succeeded > 0 ? active : parallelism;
}

/**
 * Remove pods with an invalid index first, then as many extra pods as needed to reach the target.
 */
function podsToRemove(job: Job, board: Scoreboard, atLeast: number): readonly KnownPod[] {
  const { active, activePlaces, misplaced } = board;
  const removed = [...misplaced.values()];
  if (atLeast === 0 && activePlaces.surplus.size === 0) return removed;
  const ordered = [...active.values()]
    .filter(({ hasPlace }) => hasPlace)
    .sort((one, other) => compareForRemoval(one.pod, other.pod));
  const repeated = new Map(activePlaces.surplus);
  const kept: KnownPod[] = [];
  for (const known of ordered) {
    const above = repeated.get(known.index ?? -1) ?? 0;
    if (above > 0) removed.push(known);
    else kept.push(known);
    if (known.index !== undefined && above > 0) repeated.set(known.index, above - 1);
  }
  // If running pods must finish, only unscheduled pods may be deleted.
  const spare = letsSurplusFinish(job) ? kept.filter(({ pod }) => !pod.spec.nodeName) : kept;
  return [...removed, ...spare.slice(0, Math.max(0, atLeast - removed.length))];
}

function decideCreation(situation: Situation, missing: number): PodChanges {
  const { job, board, nowMs, backoff, podsPerSync = MAX_POD_CHANGES } = situation;
  const count = Math.min(missing, podsPerSync);
  const hasMore = missing > count;
  if (limitsEachIndex(job.spec)) return decideEachIndex(situation, count, hasMore);
  const delayMs = remainingMs(backoff, board.record, nowMs);
  if (delayMs > 0) return { kind: "wait", delayMs, after: { failedPods: board.record.failures } };
  if (!isIndexed(job.spec)) {
    return { kind: "create", pods: Array.from({ length: count }, () => ({})), hasMore };
  }
  const reruns = plannedReruns(situation, count);
  const pending = pendingIndexes(job, board, count - reruns.length);
  const pods = [...reruns, ...pending.map((index) => ({ index }))];
  return pods.length > 0 ? { kind: "create", pods, hasMore } : { kind: "keep" };
}

/**
 * Indexes that wait after a failure occupy places within the parallelism, unless others may
 * overtake them.
 */
function decideEachIndex(situation: Situation, count: number, hasMore: boolean): PodChanges {
  const { job, board, nowMs, backoff } = situation;
  const pods = plannedReruns(situation, count);
  let delayMs = Number.POSITIVE_INFINITY;
  let failedIndexes = 0;
  const mayOvertake = letsOthersOvertake(job);
  const candidates = count - pods.length + (mayOvertake ? board.retained.size : 0);
  for (const index of pendingIndexes(job, board, candidates)) {
    if (pods.length >= count) break;
    const replaced = board.retained.get(index);
    const isForgiven = replaced && (replaced.isStopped || board.forgiven.has(replaced.uid));
    const record = replaced && !isForgiven && failureRecord(replaced);
    const waitMs = record ? remainingMs(backoff, record, nowMs) : 0;
    if (waitMs > 0) {
      delayMs = Math.min(delayMs, waitMs);
      failedIndexes++;
    } else {
      pods.push({ index, failures: failuresAfter(replaced) });
    }
  }
  const again = mayOvertake && delayMs < Number.POSITIVE_INFINITY ? { delayMs } : {};
  if (pods.length > 0) return { kind: "create", pods, hasMore, ...again };
  if (delayMs === Number.POSITIVE_INFINITY) return { kind: "keep" };
  return { kind: "wait", delayMs, after: { failedIndexes } };
}

/** Re-runs come before pending indexes, because a user requested them explicitly. */
function plannedReruns({ job, board }: Situation, count: number): PlannedPod[] {
  return rerunsToStart(job, board, count).map((index) => ({ index, isRerun: true }));
}

function pendingIndexes({ spec }: Job, board: Scoreboard, count: number): number[] {
  const taken = [board.completed, board.activePlaces.indexes, board.failed];
  if (replacesOnlyFailed(spec)) taken.push(board.terminatingPlaces.indexes);
  return firstMissing(taken, spec.completions ?? 0, count);
}

function failureRecord({ pod }: KnownPod) {
  return { failures: failuresOf(pod) + 1, lastFailureMs: finishedMs(pod) };
}

function failuresAfter(replaced: KnownPod | undefined): { counted: number; ignored: number } {
  if (!replaced) return { counted: 0, ignored: 0 };
  const { counted, ignored } = failuresBefore(replaced.pod);
  if (replaced.isStopped) return { counted, ignored };
  return replaced.failure?.isCounted
    ? { counted: counted + 1, ignored }
    : { counted, ignored: ignored + 1 };
}
