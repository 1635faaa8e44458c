/** Pure: how long a Job waits after failures before it creates a pod again. */
import { type Backoff, backoffMs } from "../../base/backoff.ts";

/** Failures since the last success. Kept in memory only: a restart forgives them. */
export interface FailureRecord {
  readonly failures: number;
  readonly lastFailureMs: number;
}

export const NO_FAILURES: FailureRecord = { failures: 0, lastFailureMs: 0 };

/** When the pods that finished since were over. */
export interface Finishes {
  readonly succeededMs: readonly number[];
  readonly failedMs: readonly number[];
}

/** A success wipes the record; of the failures told with it only later ones remain. */
export function nextRecord(
  record: FailureRecord,
  { succeededMs, failedMs }: Finishes,
): FailureRecord {
  const lastSuccessMs = latest(succeededMs);
  const since = failedMs.filter((ms) => ms > lastSuccessMs);
  if (succeededMs.length === 0 && since.length === 0) return record;
  const before = succeededMs.length === 0 ? record.failures : 0;
  return { failures: before + since.length, lastFailureMs: Math.max(0, latest(since)) };
}

/** Nothing when a pod may be created now. */
export function remainingMs(
  backoff: Backoff,
  { failures, lastFailureMs }: FailureRecord,
  nowMs: number,
): number {
  if (failures === 0) return 0;
  return Math.max(0, lastFailureMs + backoffMs(backoff, failures) - nowMs);
}

function latest(times: readonly number[]): number {
  return times.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
}
