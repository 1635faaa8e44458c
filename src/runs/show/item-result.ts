/** Pure: what became of one item. */
import type { Attempt } from "../../ledger/attempt.ts";
import type { IndexState } from "../../ledger/index-states.ts";
import type { IndexStory } from "../../ledger/reader.ts";

export interface ItemResult {
  readonly index: number;
  /** How the item is called; undefined where there is no list. */
  readonly item: string | undefined;
  readonly state: IndexState;
  /** How often it was tried; what was stopped before its end does not count. */
  readonly attempts: number;
  /** How often since it was last asked to be run: what the limit of attempts is about. */
  readonly tries: number;
  /** Of the last attempt that is over. */
  readonly exitCode: number | undefined;
  readonly signal: number | undefined;
  readonly reason: string | undefined;
  readonly message: string | undefined;
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
  /** The attempt whose output is of interest: the last that began. */
  readonly last: NumberedAttempt | undefined;
}

export interface NumberedAttempt {
  readonly attempt: Attempt;
  /** How often its pod had been restarted in place by then. */
  readonly restarts: number;
}

export function resultOf(
  { index, state, attempts }: IndexStory,
  item: string | undefined,
): ItemResult {
  const over = attempts.findLast(isOver);
  const counted = attempts.filter(isCounted);
  const latestJob = counted.at(-1)?.jobUID;
  return {
    index,
    item,
    state,
    attempts: counted.length,
    tries: counted.filter(({ jobUID }) => jobUID === latestJob).length,
    exitCode: over?.exitCode,
    signal: over?.signal,
    reason: over?.reason,
    message: over?.message,
    startMs: timeOf(over?.startTime),
    endMs: timeOf(over?.endTime),
    last: numberedAttempts(attempts).at(-1),
  };
}

/** The attempts that began, oldest first; a pod that was deleted before is none. */
export function numberedAttempts(attempts: readonly Attempt[]): readonly NumberedAttempt[] {
  const seen = new Map<string, number>();
  const numbered: NumberedAttempt[] = [];
  for (const attempt of attempts) {
    if (attempt.outcome === "Pending" || isUnbegun(attempt)) continue;
    const restarts = seen.get(attempt.podUID) ?? 0;
    seen.set(attempt.podUID, restarts + 1);
    numbered.push({ attempt, restarts });
  }
  return numbered;
}

export function secondsOf({ startMs, endMs }: ItemResult): number | undefined {
  if (startMs === undefined || endMs === undefined) return undefined;
  return Math.max(0, endMs - startMs) / 1000;
}

function isOver({ outcome }: Attempt): boolean {
  return outcome === "Succeeded" || outcome === "Failed";
}

function isUnbegun({ outcome, startTime }: Attempt): boolean {
  return outcome === "Deleted" && startTime === undefined;
}

function isCounted({ outcome }: Attempt): boolean {
  return outcome !== "Deleted" && outcome !== "Pending";
}

/** Of a time in its usual form; there may be a million, and this is the quickest way. */
function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}
