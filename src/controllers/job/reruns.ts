/**
 * Pure: re-runs of indexes that the Job's annotation requests.
 *
 * The annotation lists the indexes that are still to be run again, and is the only record of them:
 *
 * 1. An index that has neither completed nor failed is removed from the list: it runs anyway.
 * 2. For each other index a pod is created that is annotated as a re-run. While such a pod exists
 *    with its finalizer, no second one is created.
 * 3. When that pod has ended, the index is removed from the annotation, and only then is the
 *    finalizer removed from the pod.
 *
 * So after a crash at any point there are two cases. Either the annotation lists the index and no
 * tracked re-run has ended: then the index is run. Or a tracked re-run has ended: then it is not
 * run again. A pod that was removed before it ended, for example because the Job was suspended, has
 * not run its index: the index is run again.
 */
import type { Job } from "../../api/generated/batch.ts";
import { firstExcept, formatIndexes, removeIndex } from "../../api/index-set.ts";
import { isFinished } from "../../api/job-conditions.ts";
import { rerunRequest } from "./annotations.ts";
import { replacesOnlyFailed } from "./job-facts.ts";
import { COMPLETED_INDEXES, RERUN_INDEXES } from "./names.ts";
import { isOver, type Scoreboard } from "./scoreboard.ts";
import type { Change } from "./watches.ts";

/** Reads the annotation if it differs from the text that the board has read or written. */
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

/** The reason and message of the event. */
export const RERUN_IGNORED = [
  "RerunIgnored",
  "A finished Job stays finished: to run some of its indexes again, create it again with " +
    `the others in ${COMPLETED_INDEXES}`,
] as const;

/** True if a user asks a finished Job to run indexes again. */
export function isInVain({ type, object, previous }: Change<Job>): boolean {
  if (type !== "MODIFIED" || !isFinished(object)) return false;
  const asked = object.metadata.annotations?.[RERUN_INDEXES] ?? "";
  return asked !== "" && asked !== previous?.metadata.annotations?.[RERUN_INDEXES];
}

/** True if the Job must not finish yet. */
export function isRerunning({ reruns }: Scoreboard): boolean {
  return reruns.left.size > 0;
}

export function rerunsToStart({ spec }: Job, board: Scoreboard, count: number): number[] {
  if (!isRerunning(board)) return [];
  const taken = [board.activePlaces.indexes];
  if (replacesOnlyFailed(spec)) taken.push(board.terminatingPlaces.indexes);
  return firstExcept(board.reruns.left, taken, count);
}

/**
 * Call it after this controller wrote the annotation: the board's request now equals what is left.
 */
export function acknowledgeRequest(board: Scoreboard, { metadata }: Job): void {
  const { left } = board.reruns;
  board.reruns = { text: metadata.annotations?.[RERUN_INDEXES] ?? "", asked: left.size, left };
}

/** The new text of the annotation: "" if nothing is left, undefined if it is already correct. */
export function composeRequest({ reruns }: Scoreboard): string | undefined {
  return reruns.left.size === reruns.asked ? undefined : formatIndexes(reruns.left);
}
