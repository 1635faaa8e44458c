/**
 * Pure: the model's own account of a Job, computed only from the history of its pods: which pods
 * ended how, which indexes are complete. The status is compared with it, and never used as input.
 */
import type { Job } from "../../../src/api/generated/batch.ts";
import type { Pod } from "../../../src/api/generated/core.ts";
import { standingVerdict } from "./conditions.ts";
import { actionFor } from "./failures.ts";
import {
  failureCounts,
  finishMs,
  hasFailed,
  hasPlace,
  indexOf,
  isActive,
  isBeingDeleted,
  isTerminating,
  isTracked,
} from "./pods.ts";

export type End = "succeeded" | "failed";

export interface Ledger {
  readonly completed: ReadonlySet<number>;
  readonly failedIndexes: ReadonlySet<number>;
  /** By pod and tracking period: a pod that was released and adopted again counts as a new one. */
  readonly ends: ReadonlyMap<string, End>;
}

export const EMPTY: Ledger = { completed: new Set(), failedIndexes: new Set(), ends: new Map() };

/** What a controller can know at one moment. */
export interface Scene {
  readonly job: Job;
  /** All pods of the Job that its selector matches. */
  readonly pods: readonly Pod[];
  readonly nowMs: number;
  readonly ledger: Ledger;
  readonly keyOf: (pod: Pod) => string;
}

/** The ledger, plus what the visible pods add to it. */
export interface Knowledge {
  readonly completed: ReadonlySet<number>;
  readonly failedIndexes: ReadonlySet<number>;
  readonly succeeded: number;
  readonly failed: number;
}

export function knowledgeOf(scene: Scene): Knowledge {
  const { job, pods, ledger, keyOf } = scene;
  const { spec } = job;
  const completed = inRange(ledger.completed, job);
  const failedIndexes = inRange(ledger.failedIndexes, job);
  const ends = new Map(ledger.ends);
  for (const pod of pods.filter((each) => isTracked(each) && hasPlace(spec, each))) {
    const end = endOf(job, pod);
    const key = keyOf(pod);
    if (end && !ends.has(key)) ends.set(key, end);
    const index = spec.completionMode === "Indexed" ? indexOf(pod) : undefined;
    if (index === undefined) continue;
    if (pod.status.phase === "Succeeded") completed.add(index);
    if (failsIndex(job, pod)) failedIndexes.add(index);
  }
  // If two pods of one index end differently, the index is complete.
  for (const index of completed) failedIndexes.delete(index);
  const succeeded = spec.completionMode === "Indexed" ? completed.size : count(ends, "succeeded");
  return { completed, failedIndexes, succeeded, failed: count(ends, "failed") };
}

/**
 * Once the end of a Job is announced, its pods are being stopped. The rules do not define whether
 * their exits then still count for their indexes: the Job may also keep its previous lists.
 */
export function readingsOf(scene: Scene): readonly Knowledge[] {
  const { job, ledger } = scene;
  const known = knowledgeOf(scene);
  if (!standingVerdict(job)) return [known];
  const isIndexed = job.spec.completionMode === "Indexed";
  const reading = (completed: ReadonlySet<number>, failed: ReadonlySet<number>): Knowledge => ({
    ...known,
    completed,
    failedIndexes: new Set([...failed].filter((index) => !completed.has(index))),
    succeeded: isIndexed ? completed.size : known.succeeded,
  });
  return [
    known,
    reading(known.completed, inRange(ledger.failedIndexes, job)),
    reading(inRange(ledger.completed, job), inRange(ledger.failedIndexes, job)),
  ];
}

/** The ledger after a sync has written its status. The pods in it may then be released. */
export function nextLedger(
  scene: Scene,
  { completed, failedIndexes }: Knowledge,
  verdict: "failure" | "success" | undefined,
  named: ReadonlySet<string>,
): Ledger {
  const { job, pods, ledger, keyOf } = scene;
  const ends = new Map(ledger.ends);
  const isReleasing = verdict !== undefined || isBeingDeleted(job);
  const retained = isReleasing
    ? new Set()
    : retainedPods(scene, { completed, failedIndexes }, named);
  for (const pod of pods.filter((each) => isTracked(each) && hasPlace(job.spec, each))) {
    const key = keyOf(pod);
    if (ends.has(key) || retained.has(pod)) continue;
    // Pods that are stopped because the Job has succeeded are not counted.
    if (standingVerdict(job)?.kind === "success" && isTerminating(pod)) continue;
    const end = endOf(job, pod) ?? (verdict === "failure" ? endAtFailure(job, pod) : undefined);
    if (end) ends.set(key, end);
  }
  return { completed, failedIndexes, ends };
}

/** Undefined if the pod has not ended, or if its failure is ignored. */
function endOf(job: Job, pod: Pod): End | undefined {
  if (pod.status.phase === "Succeeded") return "succeeded";
  return hasFailed(job.spec, pod) ? countable(job, pod) : undefined;
}

/** When a Job fails, all its running pods count as failed. */
function endAtFailure(job: Job, pod: Pod): End | undefined {
  return countable(job, pod);
}

function countable({ spec }: Job, pod: Pod): End | undefined {
  return actionFor(spec, pod) === "Ignore" ? undefined : "failed";
}

function failsIndex({ spec }: Job, pod: Pod): boolean {
  const { backoffLimitPerIndex: limit } = spec;
  if (limit === undefined || !hasFailed(spec, pod)) return false;
  const action = actionFor(spec, pod);
  if (action === "FailIndex") return true;
  return action !== "Ignore" && failureCounts(pod).counted >= limit;
}

/** With a limit per index: the failed pod from which its replacement takes its failure count. */
export function retainedPods(
  { job, pods }: Scene,
  { completed, failedIndexes }: Pick<Knowledge, "completed" | "failedIndexes">,
  named: ReadonlySet<string> = namedIn(job),
): ReadonlySet<Pod> {
  if (job.spec.backoffLimitPerIndex === undefined) return new Set();
  const active = new Set(pods.filter(isActive).map(indexOf));
  const best = new Map<number, Pod>();
  for (const pod of pods) {
    const index = indexOf(pod);
    const isFree = index !== undefined && !active.has(index) && hasPlace(job.spec, pod);
    if (!isFree || completed.has(index) || failedIndexes.has(index)) continue;
    if (!isTracked(pod) || !hasFailed(job.spec, pod)) continue;
    const other = best.get(index);
    if (!other || knowsMore(pod, other, named)) best.set(index, pod);
  }
  return new Set(best.values());
}

/** The pods that the status lists as uncounted. */
export function namedIn({ status }: Job): ReadonlySet<string> {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  return new Set([...succeeded, ...failed]);
}

/**
 * The rules do not define which of two equal pods is kept; the model keeps the one already kept.
 */
function knowsMore(pod: Pod, other: Pod, named: ReadonlySet<string>): boolean {
  const weight = (each: Pod) => failureCounts(each).counted + failureCounts(each).ignored;
  if (weight(pod) !== weight(other)) return weight(pod) > weight(other);
  if (finishMs(pod) !== finishMs(other)) return finishMs(pod) > finishMs(other);
  return !named.has(pod.metadata.uid ?? "");
}

function inRange(indexes: ReadonlySet<number>, { spec }: Job): Set<number> {
  return new Set([...indexes].filter((index) => index < (spec.completions ?? 0)));
}

export function count(ends: ReadonlyMap<string, End>, wanted: End): number {
  return [...ends.values()].filter((end) => end === wanted).length;
}

/** "0-2,5": three or more consecutive indexes are written as a range. */
export function indexText(indexes: ReadonlySet<number>): string {
  const sorted = [...indexes].sort((one, other) => one - other);
  const parts: string[] = [];
  for (let at = 0; at < sorted.length; ) {
    const first = sorted[at] ?? 0;
    let end = at;
    while (sorted[end + 1] === first + (end + 1 - at)) end++;
    const length = end - at + 1;
    parts.push(length > 2 ? `${first}-${sorted[end]}` : sorted.slice(at, end + 1).join(","));
    at = end + 1;
  }
  return parts.join(",");
}
