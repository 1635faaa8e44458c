/**
 * Pure: indexes that are run once more because the Job's annotation says so.
 *
 * The annotation is the list of what is left to do, and the only record of it:
 *
 * 1. An index it names that has neither completed nor failed is struck off: it runs anyway.
 * 2. For each other one a pod is created that says of itself that it is a re-run. While there is
 *    such a pod with its finalizer, no other is created.
 * 3. When that pod is over, the index is struck off the annotation, and only then is the finalizer
 *    taken off the pod.
 *
 * So after a crash at any point either the annotation names the index and no tracked re-run is
 * over, and it is run; or a tracked re-run is over, and it is not. A pod that was removed before
 * it was over, of a suspended Job for example, has not run its index: it is run again.
 */
import type { Job } from "../../api/generated/batch.ts";
import { firstExcept, formatIndexes, removeIndex } from "../../api/index-set.ts";
import { isFinished } from "../../api/job-conditions.ts";
import { rerunRequest } from "./annotations.ts";
import { replacesOnlyFailed } from "./job-facts.ts";
import { COMPLETED_INDEXES, RERUN_INDEXES } from "./names.ts";
import { isOver, type Scoreboard } from "./scoreboard.ts";
import type { Change } from "./watches.ts";

/** Reads the request where it is not the one that the board has, or has written. */
export function acceptReruns(board: Scoreboard, job: Job): void {
  const text = job.metadata.annotations?.[RERUN_INDEXES] ?? "";
  if (text === board.reruns.text) return;
  const left = rerunRequest(job);
  const asked = left.size;
  for (const index of firstExcept(left, [board.completed, board.failed], asked)) {
    removeIndex(left, index);
  }
  for (const known of board.tracked.values()) {
    if (known.isRerun && isOver(known) && known.index !== undefined) removeIndex(left, known.index);
  }
  board.reruns = { text, asked, left };
}

/** The reason and the message of the event. */
export const RERUN_IGNORED = [
  "RerunIgnored",
  "A finished Job stays finished: to run some of its indexes again, create it again with " +
    `the others in ${COMPLETED_INDEXES}`,
] as const;

/** Whether somebody asks a finished Job to run indexes again. */
export function isInVain({ type, object, previous }: Change<Job>): boolean {
  if (type !== "MODIFIED" || !isFinished(object)) return false;
  const asked = object.metadata.annotations?.[RERUN_INDEXES] ?? "";
  return asked !== "" && asked !== previous?.metadata.annotations?.[RERUN_INDEXES];
}

/** Whether the Job has to wait with its end. */
export function isRerunning({ reruns }: Scoreboard): boolean {
  return reruns.left.size > 0;
}

export function rerunsToStart({ spec }: Job, board: Scoreboard, count: number): number[] {
  if (!isRerunning(board)) return [];
  const taken = [board.activePlaces.indexes];
  if (replacesOnlyFailed(spec)) taken.push(board.terminatingPlaces.indexes);
  return firstExcept(board.reruns.left, taken, count);
}

/** The annotation says what is left, by our own hand. */
export function acknowledgeRequest(board: Scoreboard, { metadata }: Job): void {
  const { left } = board.reruns;
  board.reruns = { text: metadata.annotations?.[RERUN_INDEXES] ?? "", asked: left.size, left };
}

/** What the annotation has to say now; "" where nothing is left, undefined where it says it. */
export function composeRequest({ reruns }: Scoreboard): string | undefined {
  return reruns.left.size === reruns.asked ? undefined : formatIndexes(reruns.left);
}
