/** Pure: the result of one item. */
import type { Attempt } from "../../ledger/attempt.ts";
import type { IndexState } from "../../ledger/index-states.ts";
import type { IndexStory } from "../../ledger/reader.ts";

export interface ItemResult {
  readonly index: number;
  /** The name of the item; undefined without a list. */
  readonly item: string | undefined;
  readonly state: IndexState;
  /** The number of attempts, without those that were stopped. */
  readonly attempts: number;
  /** The attempts since the last retry, to which the limit of attempts applies. */
  readonly tries: number;
  /** From here on: of the last attempt that has ended. */
  readonly exitCode: number | undefined;
  readonly signal: number | undefined;
  readonly reason: string | undefined;
  readonly message: string | undefined;
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
  /** The last attempt that started, whose output is shown. */
  readonly last: NumberedAttempt | undefined;
}

export interface NumberedAttempt {
  readonly attempt: Attempt;
  /** How often its container had been restarted in place by then. */
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

/** The attempts that started, oldest first. A pod that was deleted before does not count. */
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

/** There may be a million of them: Date.parse is the fastest for the canonical form. */
function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}
