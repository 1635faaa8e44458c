/** Pure: computes the state of each index of a Job, and finds the indexes in given states. */
import { hasIndex, type IndexSet, nextIndex, nextMissing } from "../api/index-set.ts";
import type { Attempt } from "./attempt.ts";
import type { IndexState } from "./index-states.ts";

/** Facts about a Job that are known without reading each index. */
export interface JobIndexes {
  readonly uid: string;
  readonly completions: number;
  readonly completed: IndexSet;
  readonly failed: IndexSet;
  readonly isFinished: boolean;
  /** Finished with success. Indexes that it no longer needed have not failed. */
  readonly isComplete: boolean;
  /** Attempts that have not ended, by index. */
  readonly current: ReadonlyMap<number, readonly Attempt[]>;
  readonly currentIndexes: IndexSet;
}

/**
 * The state of an index.
 *
 * @param last the last attempt that has ended
 * @param isUncounted whether the Job has not counted that attempt's success yet
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
  // Attempts of an earlier Job do not affect the state in this one.
  if (last?.jobUID !== job.uid) return open;
  if (last.outcome === "Failed" && !job.isFinished) return "BackingOff";
  if (last.outcome === "Failed" && !job.isComplete) return "Failed";
  return last.outcome === "Succeeded" && isUncounted(last) ? "Succeeded" : open;
}

/** The state of an index after its Job was deleted: nothing will run any more. */
export function stateAfterJob(last: Attempt | undefined): IndexState {
  if (last?.outcome === "Succeeded" || last?.outcome === "Failed") return last.outcome;
  return "NotRun";
}

/** The lowest index in some set that is at least `from`. */
export type NextIndex = (from: number) => number | undefined;

/**
 * Sets that together contain every index in one of the wanted states, and as few others as possible
 * without reading attempts: a Job may have a million indexes of which three failed.
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

/** All indexes of the sets from `from` on, in order, without duplicates. */
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
