/** Pure: the event about a Job that creates no pods because it waits after failures. */
import { humanDuration } from "../../api/print/age.ts";
import type { PodChanges, WaitedFor } from "./pod-changes.ts";

export interface BackoffNotice {
  readonly untilMs: number;
  readonly message: string;
}

/** Shorter waits are not reported: they are over before anybody could read the event. */
const SHORTEST_TOLD_MS = 1000;

/** Undefined if the Job is not waiting, or if this wait was already reported. */
export function findBackoffNotice(
  changes: PodChanges,
  nowMs: number,
  toldUntilMs: number | undefined,
): BackoffNotice | undefined {
  if (changes.kind !== "wait" || changes.after === undefined) return undefined;
  const { delayMs, after } = changes;
  const untilMs = nowMs + delayMs;
  if (delayMs < SHORTEST_TOLD_MS || untilMs === toldUntilMs) return undefined;
  const length = humanDuration(Math.ceil(delayMs / 1000) * 1000);
  return { untilMs, message: `Waiting ${length} before creating pods: ${causeOf(after)}` };
}

function causeOf(after: WaitedFor): string {
  if ("failedPods" in after) {
    return `${count(after.failedPods, "pod")} failed since the last success`;
  }
  return `${count(after.failedIndexes, "failed index", "failed indexes")} to be retried`;
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
