/**
 * Pure: what is known about the pods and indexes of one Job, updated pod by pod.
 *
 * The cost of a change does not depend on the size of the Job: the previous contribution of a pod
 * is subtracted and its new one added. Completed and failed indexes come from the status and from
 * pods that still have their finalizer, so that a board rebuilt after a restart equals the previous
 * one. Only relevant pods are kept: a pod that has ended and is released is dropped.
 */
import { completionIndexOf } from "../../api/completion-index.ts";
import type { Job, JobSpec } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import {
  addIndex,
  emptyIndexes,
  hasIndex,
  type IndexSet,
  parseIndexes,
  removeIndex,
} from "../../api/index-set.ts";
import { isEndAnnounced } from "../../api/job-conditions.ts";
import { completedBefore, failedBefore } from "./annotations.ts";
import { type Ending, type FailureRecord, nextRecord, recallRecord } from "./backoff.ts";
import { type Failure, judgeFailure } from "./failure-policy.ts";
import { isIndexed, limitsEachIndex, replacesOnlyFailed } from "./job-facts.ts";
import { emptyPlaces, occupy, type Places, vacate } from "./places.ts";
import {
  failuresBefore,
  finishedMs,
  hasTrackingFinalizer,
  isReady,
  isRerun,
  restartsOf,
  type Stage,
  stageOf,
  wasEndedByNode,
  wasStoppedByJob,
} from "./pod-facts.ts";
import { countCompleted, type SuccessRule, successRulesOf } from "./success-policy.ts";

export interface KnownPod {
  readonly pod: Pod;
  readonly uid: string;
  readonly stage: Stage;
  /** Absent if the Job is not Indexed, or if the pod has no index or one out of range. */
  readonly index?: number;
  readonly isTracked: boolean;
  readonly isReady: boolean;
  /**
   * A re-run of an index that has already ended. It can complete the index and has no other effect.
   */
  readonly isRerun: boolean;
  /** Stopped by its Job: the index is run again as if the pod had never existed. */
  readonly isStopped: boolean;
  readonly restarts: number;
  /** Absent unless the pod has failed. */
  readonly failure?: Failure;
  /** Whether the counters include the pod. In an Indexed Job it must have a valid index. */
  readonly hasPlace: boolean;
}

export interface Scoreboard {
  readonly spec: JobSpec;
  /** The Job's pods are being stopped, which must not fail their indexes. */
  readonly isEnding: boolean;
  readonly known: Map<string, KnownPod>;
  readonly active: Map<string, KnownPod>;
  /** Pods with the finalizer. */
  readonly tracked: Map<string, KnownPod>;
  /** Tracked pods that have ended and only wait to be counted. */
  readonly finished: Map<string, KnownPod>;
  /**
   * By index, the failed pod that stays tracked until its replacement has recorded its failures.
   */
  readonly retained: Map<number, KnownPod>;
  /** By pod UID, the reason why it fails the whole Job. */
  readonly fatal: Map<string, string>;
  readonly activePlaces: Places;
  readonly terminatingPlaces: Places;
  /** Active pods of an Indexed Job without a valid index. */
  readonly misplaced: Map<string, KnownPod>;
  readonly completed: IndexSet;
  readonly failed: IndexSet;
  readonly successRules: readonly SuccessRule[];
  /** See reruns.ts. */
  reruns: Reruns;
  ready: number;
  terminating: number;
  restarts: number;
  /** Tracked pods that count and that no status has counted yet, by result. */
  successes: number;
  failures: number;
  /** Failures that delay the next pod, and the subset of them that still counts after a restart. */
  record: FailureRecord;
  lasting: FailureRecord;
  /** Failed pods that were ended by their node before the Job was first seen: see backoff.ts. */
  readonly forgiven: Set<string>;
  news: News;
}

interface News {
  readonly succeededMs: number[];
  readonly failedMs: number[];
  /** Failed pods that were ended by their node. */
  readonly byNodeMs: number[];
}

/** The indexes to run again. */
export interface Reruns {
  /** The annotation as the Job has it, and the number of indexes it lists. */
  readonly text: string;
  readonly asked: number;
  /** The indexes that have not been run again yet, including those now running. */
  readonly left: IndexSet;
}

export const NO_RERUNS: Reruns = { text: "", asked: 0, left: emptyIndexes() };

/**
 * If there is a former board of the same Job, it tells which endings are new and how many failures
 * there were.
 */
export function openScoreboard(job: Job, pods: Iterable<Pod>, former?: Scoreboard): Scoreboard {
  const { spec, status } = job;
  const { completedIndexes, failedIndexes } = status;
  const parsed = (text: string) => parseIndexes(text, spec.completions ?? 0);
  const completed =
    completedIndexes === undefined ? completedBefore(job) : parsed(completedIndexes);
  const failedIn = (): IndexSet => {
    if (!limitsEachIndex(spec)) return emptyIndexes();
    return failedIndexes === undefined ? failedBefore(job) : parsed(failedIndexes);
  };
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const named = new Set([...succeeded, ...failed]);
  const assessed = Array.from(pods, (pod) => assess(spec, pod));
  const endings = () => assessed.flatMap((known) => findEnding(known, named) ?? []);
  const record = former?.record ?? recallRecord(job, endings());
  const board: Scoreboard = {
    spec,
    isEnding: isEndAnnounced(job),
    known: new Map(),
    active: new Map(),
    tracked: new Map(),
    finished: new Map(),
    retained: new Map(),
    fatal: new Map(),
    activePlaces: emptyPlaces(),
    terminatingPlaces: emptyPlaces(),
    misplaced: new Map(),
    completed,
    failed: failedIn(),
    successRules: successRulesOf(spec, completed),
    ready: 0,
    terminating: 0,
    restarts: 0,
    successes: 0,
    failures: 0,
    reruns: NO_RERUNS,
    record,
    lasting: former?.lasting ?? record,
    forgiven: former?.forgiven ?? new Set(),
    news: noNews(),
  };
  for (const now of assessed) {
    const before = former?.known.get(now.uid);
    const isTold = named.has(now.uid) || (before !== undefined && isOver(before));
    if (!former && now.failure && wasEndedByNode(now.pod)) board.forgiven.add(now.uid);
    enter(board, now, former === undefined || isTold);
  }
  return board;
}

/** Whether the Job's fields that the board was opened with are unchanged. */
export function isUpToDate({ spec, isEnding }: Scoreboard, job: Job): boolean {
  return (
    spec.completions === job.spec.completions &&
    replacesOnlyFailed(spec) === replacesOnlyFailed(job.spec) &&
    isEnding === isEndAnnounced(job)
  );
}

export function recordPod(board: Scoreboard, pod: Pod): void {
  const now = assess(board.spec, pod);
  const before = board.known.get(now.uid);
  if (before) withdraw(board, before);
  enter(board, now, before !== undefined && isOver(before));
}

export function forgetPod(board: Scoreboard, uid: string): void {
  const before = board.known.get(uid);
  if (before) withdraw(board, before);
}

/**
 * Updates the back-off and the retained pods. Both can only be determined after all changes of a
 * sync are recorded.
 */
export function settleBoard(board: Scoreboard): void {
  const { succeededMs, failedMs, byNodeMs } = board.news;
  board.record = nextRecord(board.record, { succeededMs, failedMs: [...failedMs, ...byNodeMs] });
  board.lasting = nextRecord(board.lasting, { succeededMs, failedMs });
  board.news = noNews();
  if (!limitsEachIndex(board.spec)) return;
  for (const known of [...board.finished.values()]) retain(board, known);
}

function assess(spec: JobSpec, pod: Pod): KnownPod {
  const { podFailurePolicy: policy } = spec;
  const stage = stageOf(pod);
  const index = isIndexed(spec) ? completionIndexOf(pod) : undefined;
  const isInRange = index !== undefined && index < (spec.completions ?? 0);
  const isAgain = isInRange && isRerun(pod);
  const hasFailed = stage === "failed" || (stage === "terminating" && !replacesOnlyFailed(spec));
  const isStopped = wasStoppedByJob(pod);
  const failure = () => (isAgain || isStopped ? UNCOUNTED : judgeFailure(policy, pod));
  return {
    pod,
    uid: pod.metadata.uid ?? "",
    stage,
    ...(isInRange ? { index } : {}),
    isTracked: hasTrackingFinalizer(pod),
    isReady: isReady(pod),
    isRerun: isAgain,
    isStopped,
    restarts: isAgain ? 0 : restartsOf(pod),
    ...(hasFailed ? { failure: failure() } : {}),
    hasPlace: isInRange || !isIndexed(spec),
  };
}

const UNCOUNTED: Failure = { isCounted: false };

/**
 * Returns what the pod contributes to the back-off. A pod that was released in order to be removed
 * was never counted.
 */
function findEnding(known: KnownPod, named: ReadonlySet<string>): Ending | undefined {
  const { pod, uid, stage, failure, isTracked, hasPlace } = known;
  const isRemoved = !isTracked && pod.metadata.deletionTimestamp !== undefined;
  if (!isOver(known) || !hasPlace || isRemoved || isNoEnding(known)) return undefined;
  const isNamed = !isTracked || named.has(uid);
  return {
    ms: finishedMs(pod),
    hasSucceeded: stage === "succeeded",
    isInStatus: isNamed && failure?.isCounted === true,
    isByNode: wasEndedByNode(pod),
  };
}

/** True if the pod's end does not affect the back-off. */
function isNoEnding({ isRerun, isStopped }: KnownPod): boolean {
  return isRerun || isStopped;
}

export function isOver({ stage, failure }: KnownPod): boolean {
  return stage === "succeeded" || failure !== undefined;
}

/** A pod that has ended and is released is irrelevant, unless it fails the Job. */
function matters({ stage, isTracked, failure }: KnownPod): boolean {
  if (isTracked || stage === "active" || stage === "terminating") return true;
  return failure?.message !== undefined;
}

function enter(board: Scoreboard, now: KnownPod, isTold: boolean): void {
  if (!matters(now)) return;
  board.known.set(now.uid, now);
  count(board, now, 1);
  if (now.failure?.message !== undefined) board.fatal.set(now.uid, now.failure.message);
  if (now.stage === "active") {
    board.active.set(now.uid, now);
    if (!now.hasPlace) board.misplaced.set(now.uid, now);
  }
  if (now.index !== undefined) {
    if (now.stage === "active") occupy(board.activePlaces, now.index);
    if (now.stage === "terminating") occupy(board.terminatingPlaces, now.index);
    reconsider(board, now.index);
  }
  if (!now.isTracked) return;
  board.tracked.set(now.uid, now);
  if (!isOver(now)) return;
  board.finished.set(now.uid, now);
  if (now.index !== undefined) scoreIndex(board, now, now.index);
  if (!isTold && now.hasPlace && !isNoEnding(now)) {
    endingsLike(board.news, now).push(finishedMs(now.pod));
  }
}

function noNews(): News {
  return { succeededMs: [], failedMs: [], byNodeMs: [] };
}

function endingsLike({ succeededMs, failedMs, byNodeMs }: News, { stage, pod }: KnownPod) {
  if (stage === "succeeded") return succeededMs;
  return wasEndedByNode(pod) ? byNodeMs : failedMs;
}

function withdraw(board: Scoreboard, before: KnownPod): void {
  const { uid, stage, index } = before;
  count(board, before, -1);
  for (const group of GROUPS) board[group].delete(uid);
  board.fatal.delete(uid);
  if (index === undefined) return;
  if (stage === "active") vacate(board.activePlaces, index);
  if (stage === "terminating") vacate(board.terminatingPlaces, index);
  if (board.retained.get(index)?.uid === uid) board.retained.delete(index);
}

const GROUPS = ["known", "active", "tracked", "finished", "misplaced"] as const;

function count(board: Scoreboard, known: KnownPod, sign: 1 | -1): void {
  const { stage, isTracked, hasPlace, failure } = known;
  if (stage === "active" && known.isReady) board.ready += sign;
  if (stage === "terminating") board.terminating += sign;
  board.restarts += sign * known.restarts;
  if (!isTracked || !hasPlace) return;
  if (stage === "succeeded") board.successes += sign;
  if (failure?.isCounted) board.failures += sign;
}

/**
 * If two pods ran an index with different results, the index is completed: a status must not list
 * it as both completed and failed.
 */
function scoreIndex(board: Scoreboard, known: KnownPod, index: number): void {
  const { pod, stage, failure } = known;
  if (known.isStopped) return;
  if (known.isRerun) removeIndex(board.reruns.left, index);
  if (stage === "succeeded") {
    removeIndex(board.failed, index);
    if (addIndex(board.completed, index)) countCompleted(board.successRules, index);
    return;
  }
  const limit = board.spec.backoffLimitPerIndex;
  if (limit === undefined || board.isEnding) return;
  if (failure === undefined || hasIndex(board.completed, index)) return;
  const isExhausted = failure.isCounted && failuresBefore(pod).counted >= limit;
  if (failure.action === "FailIndex" || isExhausted) addIndex(board.failed, index);
}

/**
 * Something about the index changed, so whether its failed pod must be retained is decided again.
 */
function reconsider(board: Scoreboard, index: number): void {
  const kept = board.retained.get(index);
  if (!kept) return;
  board.retained.delete(index);
  board.finished.set(kept.uid, kept);
}

function retain(board: Scoreboard, known: KnownPod): void {
  const { uid, index, failure } = known;
  if (index === undefined || failure === undefined) return;
  if (known.isStopped && failuresOf(known.pod) === 0) return;
  const { activePlaces, completed, failed, retained, finished } = board;
  const isReplaced = hasIndex(activePlaces.indexes, index);
  if (isReplaced || hasIndex(completed, index) || hasIndex(failed, index)) return;
  const kept = retained.get(index);
  if (kept && !knowsMore(known, kept)) return;
  if (kept) finished.set(kept.uid, kept);
  retained.set(index, known);
  finished.delete(uid);
}

/**
 * Total order: for two different pods it always prefers one, so that the retained pod does not
 * depend on the order of events.
 */
function knowsMore({ pod, uid }: KnownPod, { pod: other, uid: otherUid }: KnownPod): boolean {
  const difference = failuresOf(pod) - failuresOf(other) || finishedMs(pod) - finishedMs(other);
  return difference === 0 ? uid > otherUid : difference > 0;
}

/** All failures of its index before the pod's own one. */
export function failuresOf(pod: Pod): number {
  const { counted, ignored } = failuresBefore(pod);
  return counted + ignored;
}
