/**
 * What is known of a run: fed by what happens to its Job and pods, it tells what that means for
 * the items. Each item ends once here, however often it is heard of, and whatever an event costs
 * does not grow with the list.
 */
import type { Job } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import {
  addIndex,
  emptyIndexes,
  firstExcept,
  hasIndex,
  type IndexSet,
  parseIndexes,
  removeIndex,
} from "../../api/index-set.ts";
import { finishOf, hasCondition } from "../../api/job-conditions.ts";
import { runsAhead } from "../../api/pods-ahead.ts";
import { FAILED_INDEXES, RERUN_INDEXES } from "../../api/work-list/names.ts";
import { CONTINUES_FROM } from "../../ledger/story.ts";
import { type AttemptEnd, attemptOf, endOf, isOver, type TaskAttempt } from "./attempt.ts";

export interface RunListener {
  readonly started?: (attempt: TaskAttempt) => void;
  /** It failed, and may be tried again. */
  readonly failedOnce?: (end: AttemptEnd) => void;
  /** For good: it succeeded, or will not be tried again. */
  readonly ended: (end: AttemptEnd) => void;
}

export interface Beginning {
  /** The Job as it was found, where it is an earlier one. */
  readonly asOf?: Job;
  /** Indexes that were done by then and that its status does not have. */
  readonly done?: readonly number[];
}

export class RunBook {
  #job: Job | undefined;
  readonly #succeeded = emptyIndexes();
  readonly #failed = emptyIndexes();
  /** Of a Job without indexes. */
  #succeededPods = 0;
  #failedPods = 0;
  /** Pods that are not over, by uid. */
  readonly #active = new Map<string, TaskAttempt>();
  readonly #running = new Map<string, TaskAttempt>();
  /** Those of them that have begun: a Job may have some made that wait their turn. */
  readonly #begun = new Set<string>();
  /** Pods whose end was told, until they are gone. */
  readonly #toldPods = new Set<string>();
  /** The last failure of items that may be tried again. */
  readonly #failures = new Map<number | string, AttemptEnd>();
  #failedText = "";
  /** What the Job will not try again, be it told or not. */
  #givenUp = emptyIndexes();
  /** What a Job that has ended had completed: no failure of these was their last attempt. */
  #completed = emptyIndexes();
  /** The revision at which the Job last gave up an index, or ended. */
  #settledRevision = 0;
  /** All events of pods up to this revision have arrived. */
  #podsRevision = 0;
  /**
   * Indexes that the Job has given up, each with the revision at which it did. Jobs and pods have
   * separate watches: the event of a later attempt may arrive after that of the Job. Without this
   * the first attempt would be reported in place of the last.
   */
  readonly #givenUpAt = new Map<number, number>();
  /** Indexes that the Job is asked to run once more, and has not yet. */
  #reruns = emptyIndexes();
  #rerunText = "";
  #retries = 0;

  constructor(private readonly listener: RunListener) {}

  get job(): Job | undefined {
    return this.#job;
  }

  /** Undefined for a Job that ends when its workers say so. */
  get total(): number | undefined {
    return this.#job?.spec.completions;
  }

  get succeeded(): number {
    return this.#succeeded.size + this.#succeededPods;
  }

  get failed(): number {
    return this.#failed.size + this.#failedPods;
  }

  /** Failed attempts that were not the last of their item. */
  get retries(): number {
    return this.#retries;
  }

  /** Items that failed and wait to be tried again. */
  get waiting(): number {
    let again = 0;
    for (const { attempt } of this.#active.values()) if (attempt > 1) again++;
    return Math.max(0, this.#failures.size - again);
  }

  /** Pods there are, running or about to; without those that wait their turn. */
  get active(): number {
    return this.#job && runsAhead(this.#job) ? this.#begun.size : this.#active.size;
  }

  get running(): Iterable<TaskAttempt> {
    return this.#running.values();
  }

  /** Whether the index has ended for good, and is not to be run once more. */
  readonly isSettled = (index: number): boolean =>
    (hasIndex(this.#succeeded, index) || hasIndex(this.#failed, index)) &&
    !hasIndex(this.#reruns, index);

  get isFinished(): boolean {
    return this.finish !== undefined;
  }

  get finish(): { readonly type: string; readonly reason: string } | undefined {
    const met = this.#job && finishOf(this.#job);
    return met && { type: met.type, reason: met.reason ?? "" };
  }

  /** What was settled before this run began is not told. */
  begin(job: Job, { asOf = job, done = [] }: Beginning = {}): void {
    this.#job = job;
    for (const index of done) addIndex(this.#succeeded, index);
    const { completed, failed } = settledIn(asOf);
    for (const index of firstExcept(completed, [], completed.size))
      addIndex(this.#succeeded, index);
    for (const index of firstExcept(failed, [], failed.size)) addIndex(this.#failed, index);
    this.#failedText = asOf.status.failedIndexes ?? "";
    this.#takeReruns(job);
  }

  takeJob(job: Job): void {
    this.#job = job;
    this.#takeReruns(job);
    const { failedIndexes: text = "" } = job.status;
    if (text === this.#failedText && !this.isFinished) return;
    this.#settledRevision = revisionOf(job);
    if (this.isFinished) this.#completed = settledIn(job).completed;
    if (text !== this.#failedText) {
      this.#failedText = text;
      const failed = parseIndexes(text, job.spec.completions ?? 0);
      this.#givenUp = failed;
      for (const index of firstExcept(failed, [this.#failed], failed.size))
        this.#reportLater(index);
    }
    if (this.#hasFailed) for (const key of [...this.#failures.keys()]) this.#reportLater(key);
    this.#reportCertain();
  }

  /** All events of pods up to this revision have arrived, as after a list. */
  knowPodsUntil(resourceVersion: string): void {
    this.#podsRevision = Math.max(this.#podsRevision, Number(resourceVersion));
    this.#reportCertain();
  }

  #takeReruns({ metadata, spec }: Job): void {
    const text = metadata.annotations?.[RERUN_INDEXES] ?? "";
    if (text === this.#rerunText) return;
    this.#rerunText = text;
    this.#reruns = parseIndexes(text, spec.completions ?? 0);
  }

  takePod(type: "ADDED" | "MODIFIED" | "DELETED", pod: Pod): void {
    this.#takePod(type, pod);
    // Pods of a list come as ADDED, in any order: knowPodsUntil follows when all have come.
    if (type !== "ADDED") this.#podsRevision = Math.max(this.#podsRevision, revisionOf(pod));
    this.#reportCertain();
  }

  #takePod(type: "ADDED" | "MODIFIED" | "DELETED", pod: Pod): void {
    const { uid = "" } = pod.metadata;
    const over = isOver(pod);
    if (type === "DELETED" && this.#toldPods.delete(uid)) return;
    if (!over && type !== "DELETED") {
      this.#takeActive(uid, pod);
      return;
    }
    this.#active.delete(uid);
    this.#running.delete(uid);
    this.#begun.delete(uid);
    if (over && this.#toldPods.has(uid)) return;
    if (over && type !== "DELETED") this.#toldPods.add(uid);
    this.takeEnd(endOf(pod, type === "DELETED"));
  }

  #takeActive(uid: string, pod: Pod): void {
    const isRunning = pod.status.phase === "Running";
    if (pod.status.startTime !== undefined) this.#begun.add(uid);
    if (isRunning ? this.#running.has(uid) : this.#active.has(uid)) return;
    const attempt = attemptOf(pod);
    this.#active.set(uid, attempt);
    if (!isRunning) return;
    this.#running.set(uid, attempt);
    this.listener.started?.(attempt);
  }

  /** An attempt is over; of one that was told before nothing is told again. */
  takeEnd(end: AttemptEnd): void {
    const key = end.index ?? end.pod.uid;
    switch (end.outcome) {
      case "Succeeded":
        this.#failures.delete(key);
        if (this.#noteSuccess(end)) this.listener.ended(end);
        return;
      case "Failed":
        if (end.index !== undefined && hasIndex(this.#succeeded, end.index)) return;
        if (end.index !== undefined && hasIndex(this.#failed, end.index)) return;
        // It was stopped because the Job has succeeded without it.
        if (this.#is("SuccessCriteriaMet")) return;
        this.#retries++;
        // The pods of a list come in any order.
        if ((this.#failures.get(key)?.attempt ?? 0) > end.attempt) return;
        this.#failures.set(key, end);
        if (!this.#is("FailureTarget")) this.listener.failedOnce?.(end);
        if (this.#hasFailed || this.#isGivenUp(end.index)) this.#reportLater(key);
        return;
      case "Unknown":
        this.#retries++;
        this.listener.failedOnce?.(end);
        return;
      case "Stopped":
        // It was not seen through: that it failed before does not make it a failure.
        this.#failures.delete(key);
        return;
      case "NeverBegan":
        return;
    }
  }

  /** Indexes that the Job has settled and nobody has told of, as after a broken connection. */
  untold(): readonly number[] {
    if (!this.#job) return [];
    const { completed, failed } = settledIn(this.#job);
    const known = [this.#succeeded, this.#failed];
    const waiting = this.isFinished ? [...this.#failures.keys()] : [];
    return [
      ...firstExcept(completed, [this.#succeeded], completed.size),
      ...firstExcept(failed, known, failed.size),
      ...waiting
        .filter((key) => typeof key === "number")
        .filter((index) => {
          return !hasIndex(completed, index) && !hasIndex(failed, index);
        }),
    ];
  }

  /** The index is settled: reports how, as seen or, if that is later, as the ledger has it. */
  settle(index: number, end?: AttemptEnd): void {
    if (!this.#job) return;
    const known = this.#failures.get(index);
    const isNews = end?.pod.uid !== known?.pod.uid && (end?.attempt ?? 0) >= (known?.attempt ?? 0);
    if (end && isNews) this.takeEnd(end);
    const { completed } = settledIn(this.#job);
    const hasSucceeded = hasIndex(completed, index);
    if (!hasSucceeded) this.#giveUp(index);
    this.#failures.delete(index);
    this.#givenUpAt.delete(index);
    addIndex(hasSucceeded ? this.#succeeded : this.#failed, index);
  }

  /** What was there and is not any more was missed: the pods that a new list does not have. */
  forgetPodsBut(uids: ReadonlySet<string>): void {
    for (const uid of [...this.#active.keys()]) {
      if (uids.has(uid)) continue;
      this.#active.delete(uid);
      this.#running.delete(uid);
      this.#begun.delete(uid);
    }
    for (const uid of [...this.#toldPods]) if (!uids.has(uid)) this.#toldPods.delete(uid);
  }

  /** A Job that succeeded leaves undone what it did not need. */
  get #hasFailed(): boolean {
    return this.finish?.type === "Failed";
  }

  #is(type: "FailureTarget" | "SuccessCriteriaMet"): boolean {
    return this.#job !== undefined && hasCondition(this.#job, type);
  }

  #noteSuccess({ index }: AttemptEnd): boolean {
    if (index === undefined) {
      this.#succeededPods++;
      return true;
    }
    removeIndex(this.#failed, index);
    return addIndex(this.#succeeded, index);
  }

  #isGivenUp(index: number | undefined): boolean {
    return index !== undefined && hasIndex(this.#givenUp, index);
  }

  /** A pod without an index has no later attempt. */
  #reportLater(key: number | string): void {
    if (typeof key === "string") this.#giveUp(key);
    else if (this.#failures.has(key) && !hasIndex(this.#completed, key)) {
      this.#givenUpAt.set(key, this.#settledRevision);
    }
  }

  #reportCertain(): void {
    for (const [index, revision] of this.#givenUpAt) {
      if (this.#podsRevision < revision) continue;
      this.#givenUpAt.delete(index);
      this.#giveUp(index);
    }
  }

  /** Where its last attempt has not been seen, `untold` finds it. */
  #giveUp(key: number | string): void {
    const end = this.#failures.get(key);
    if (!end) return;
    this.#failures.delete(key);
    this.#retries--;
    if (typeof key === "number") addIndex(this.#failed, key);
    else this.#failedPods++;
    this.listener.ended(end);
  }
}

function settledIn({ metadata, spec, status }: Job): { completed: IndexSet; failed: IndexSet } {
  const { completions = 0 } = spec;
  // A Job that goes on counts them itself, but not before its controller has seen it.
  const before = metadata.annotations?.[CONTINUES_FROM] ?? "";
  return {
    completed: parseIndexes(status.completedIndexes || before, completions),
    failed: parseIndexes(
      status.failedIndexes ?? metadata.annotations?.[FAILED_INDEXES] ?? "",
      completions,
    ),
  };
}

/** All resources of a server share one sequence of revisions. */
function revisionOf({ metadata }: Job | Pod): number {
  return Number(metadata.resourceVersion ?? 0);
}
