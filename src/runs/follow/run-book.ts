/**
 * The state of a run: takes the events of its Job and pods, and reports what they mean for the
 * items. Each end of an item is reported once, however often it is observed. The cost of an event
 * does not depend on the length of the list.
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
import { type AttemptEnd, attemptOf, endOf, type ItemAttempt, isOver } from "./attempt.ts";

export interface RunListener {
  readonly started?: (attempt: ItemAttempt) => void;
  /** It failed, and may be retried. */
  readonly failedOnce?: (end: AttemptEnd) => void;
  /** It succeeded, or will not be retried. */
  readonly ended: (end: AttemptEnd) => void;
}

export interface Beginning {
  /** The Job as it was found, if it is an earlier one. */
  readonly asOf?: Job;
  /** Indexes that were done by then and that its status does not have. */
  readonly done?: readonly number[];
}

export class RunBook {
  #job: Job | undefined;
  readonly #succeeded = emptyIndexes();
  readonly #failed = emptyIndexes();
  /** Pods of a Job without indexes. */
  #succeededPods = 0;
  #failedPods = 0;
  /** Pods that have not ended, by uid. */
  readonly #active = new Map<string, ItemAttempt>();
  readonly #running = new Map<string, ItemAttempt>();
  /** Those of them that have started: pods may be created ahead. */
  readonly #begun = new Set<string>();
  /** Pods whose end was reported, until they are deleted. */
  readonly #reportedPods = new Set<string>();
  /** The last failure of each item that may be retried. */
  readonly #failures = new Map<number | string, AttemptEnd>();
  #failedText = "";
  /** Indexes that the Job will not retry, reported or not. */
  #givenUp = emptyIndexes();
  /** Indexes that a finished Job had completed: their failures were not their last attempts. */
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
  /** Indexes that the Job was asked to run again, and has not run yet. */
  #reruns = emptyIndexes();
  #rerunText = "";
  #retries = 0;

  constructor(private readonly listener: RunListener) {}

  get job(): Job | undefined {
    return this.#job;
  }

  /** Undefined for a work-queue Job, which ends when one of its pods succeeds. */
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

  /** Items that failed and wait for a retry. */
  get waiting(): number {
    let again = 0;
    for (const { attempt } of this.#active.values()) if (attempt > 1) again++;
    return Math.max(0, this.#failures.size - again);
  }

  /** Pods that have not ended, without those that were created ahead. */
  get active(): number {
    return this.#job && runsAhead(this.#job) ? this.#begun.size : this.#active.size;
  }

  get running(): Iterable<ItemAttempt> {
    return this.#running.values();
  }

  /** Whether the index has ended, and will not be run again. */
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

  /** Items that had ended before this command are not reported. */
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
  markPodsSeen(resourceVersion: string): void {
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
    // Listed pods come as ADDED, in any order; markPodsSeen is called after the last one.
    if (type !== "ADDED") this.#podsRevision = Math.max(this.#podsRevision, revisionOf(pod));
    this.#reportCertain();
  }

  #takePod(type: "ADDED" | "MODIFIED" | "DELETED", pod: Pod): void {
    const { uid = "" } = pod.metadata;
    const over = isOver(pod);
    if (type === "DELETED" && this.#reportedPods.delete(uid)) return;
    if (!over && type !== "DELETED") {
      this.#takeActive(uid, pod);
      return;
    }
    this.#active.delete(uid);
    this.#running.delete(uid);
    this.#begun.delete(uid);
    if (over && this.#reportedPods.has(uid)) return;
    if (over && type !== "DELETED") this.#reportedPods.add(uid);
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

  /** An attempt has ended. It is reported only once. */
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
        // The Job has succeeded without it, and stopped it.
        if (this.#is("SuccessCriteriaMet")) return;
        this.#retries++;
        // Listed pods come in any order.
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
        // The item was stopped. An earlier failure does not count as its result.
        this.#failures.delete(key);
        return;
      case "NeverBegan":
        return;
    }
  }

  /** Indexes that have ended and were not reported, as after a lost connection. */
  unreported(): readonly number[] {
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

  /** The index has ended: reports its last attempt, as seen or, if later, as in the ledger. */
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

  /** Forgets pods that a new list does not have: their deletion was missed. */
  keepOnlyPods(uids: ReadonlySet<string>): void {
    for (const uid of [...this.#active.keys()]) {
      if (uids.has(uid)) continue;
      this.#active.delete(uid);
      this.#running.delete(uid);
      this.#begun.delete(uid);
    }
    for (const uid of [...this.#reportedPods]) if (!uids.has(uid)) this.#reportedPods.delete(uid);
  }

  /** A Job that succeeded may have unfinished items that it did not need. */
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

  /** If its last attempt was not seen, `unreported` returns the index. */
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
  // A Job that continues another has them in its status only after its controller has run.
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
