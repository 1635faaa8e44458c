/** Pure: how each index of a Job stands, and which indexes stand as a client asks. */
import { hasIndex, type IndexSet, nextIndex, nextMissing } from "../api/index-set.ts";
import type { Attempt } from "./attempt.ts";
import type { IndexState } from "./index-states.ts";

/** What is known of a Job without looking at each index. */
export interface JobIndexes {
  readonly uid: string;
  readonly completions: number;
  readonly completed: IndexSet;
  readonly failed: IndexSet;
  readonly isFinished: boolean;
  /** With success: what it did not need any more has not failed. */
  readonly isComplete: boolean;
  /** Attempts that are not over, by index. */
  readonly current: ReadonlyMap<number, readonly Attempt[]>;
  readonly currentIndexes: IndexSet;
}

/**
 * @param last the last attempt that is over
 * @param isUncounted whether its success still waits to be counted
 */
export function stateOf(
  job: JobIndexes,
  index: number,
  last: Attempt | undefined,
  isUncounted: (attempt: Attempt) => boolean,
): IndexState {
  const current = job.current.get(index);
  if (current) {
    return current.some(({ outcome }) => outcome === "Running") ? "Running" : "Pending";
  }
  if (hasIndex(job.completed, index)) return "Succeeded";
  if (hasIndex(job.failed, index)) return "Failed";
  const open = job.isFinished ? "NotRun" : "Pending";
  // What became of it in a former Job is of no concern to this one.
  if (last?.jobUID !== job.uid) return open;
  if (last.outcome === "Failed" && !job.isFinished) return "BackingOff";
  if (last.outcome === "Failed" && !job.isComplete) return "Failed";
  return last.outcome === "Succeeded" && isUncounted(last) ? "Succeeded" : open;
}

/** Of a Job that is gone nothing is left to run. */
export function stateAfterJob(last: Attempt | undefined): IndexState {
  if (last?.outcome === "Succeeded" || last?.outcome === "Failed") return last.outcome;
  return "NotRun";
}

/** The lowest index from there on, out of some set. */
export type NextIndex = (from: number) => number | undefined;

/**
 * Sets that together hold every index in one of the wanted states, and as few others as can be told
 * without reading attempts: a Job may have a million indexes, and three that failed.
 */
export function candidates(
  job: JobIndexes,
  wanted: ReadonlySet<IndexState>,
  nextNoted: NextIndex,
): NextIndex[] {
  const { completions, completed, failed, currentIndexes, isFinished } = job;
  const settled = [completed, failed, currentIndexes];
  const nextOpen: NextIndex = (from) => nextMissing(settled, from, completions);
  const sources: NextIndex[] = [];
  const addSet = (set: IndexSet): void => {
    sources.push((from) => nextIndex(set, from, completions));
  };
  if (wanted.has("Succeeded")) addSet(completed);
  if (wanted.has("Failed")) addSet(failed);
  if (wanted.has("Running") || wanted.has("Pending")) addSet(currentIndexes);
  const isNotedOnly = wanted.has("Succeeded") || wanted.has(isFinished ? "Failed" : "BackingOff");
  if (wanted.has(isFinished ? "NotRun" : "Pending")) sources.push(nextOpen);
  else if (isNotedOnly) sources.push((from) => nextInBoth(nextOpen, nextNoted, from));
  return sources;
}

function nextInBoth(one: NextIndex, other: NextIndex, from: number): number | undefined {
  for (let index = one(from); index !== undefined; index = one(index)) {
    const next = other(index);
    if (next === undefined || next === index) return next;
    index = next;
  }
  return undefined;
}

/** All indexes of the sets from there on, in order, each once. */
export function* merged(sources: readonly NextIndex[], from: number): Generator<number> {
  let heads = sources.map((next) => next(from));
  for (;;) {
    const known = heads.filter((head) => head !== undefined);
    if (known.length === 0) return;
    const lowest = Math.min(...known);
    yield lowest;
    heads = heads.map((head, at) => (head === lowest ? sources[at]?.(lowest + 1) : head));
  }
}
