/**
 * Pure: how long a Job waits after failures before it creates a pod again.
 *
 * The failure record is kept in memory. After a restart it is rebuilt from the pods that still
 * exist. A Job that does not keep its pods stores the record in an annotation before its pods are
 * deleted, because the Job status has no field for it and contains no times.
 *
 * Pods that were ended by their node count while the controller runs, as in Kubernetes. After a
 * restart they are ignored: otherwise a server that is restarted would wait for minutes because of
 * pods that its own shutdown ended.
 */
import type { Job } from "../../api/generated/batch.ts";
import { formatTime } from "../../api/time.ts";
import { type Backoff, backoffMs } from "../../base/backoff.ts";
import { FAILURES_NOTE } from "./names.ts";

/** Failures since the last success. */
export interface FailureRecord {
  readonly failures: number;
  readonly lastFailureMs: number;
}

export const NO_FAILURES: FailureRecord = { failures: 0, lastFailureMs: 0 };

/** When the pods that finished since the last sync ended. */
export interface Finishes {
  readonly succeededMs: readonly number[];
  readonly failedMs: readonly number[];
}

/**
 * A success resets the record. If both are reported together, only failures after the success
 * remain.
 */
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

/** How and when a pod that still exists ended. */
export interface Ending {
  readonly ms: number;
  readonly hasSucceeded: boolean;
  /** Whether it is included in the failures of the Job's status. */
  readonly isInStatus: boolean;
  /** Whether its node ended it. */
  readonly isByNode?: boolean;
}

/**
 * Rebuilds the record after a restart. The annotation covers all pods that ended up to its time, so
 * only later endings are added.
 */
export function recallRecord(job: Job, endings: readonly Ending[]): FailureRecord {
  const note = parseNote(job.metadata.annotations?.[FAILURES_NOTE] ?? "");
  const record = note ?? { failures: countCollected(job, endings), lastFailureMs: 0 };
  const later = endings.filter(({ ms, isByNode }) => ms > record.lastFailureMs && !isByNode);
  const timesOf = (hasSucceeded: boolean) =>
    later.filter((each) => each.hasSucceeded === hasSucceeded).map(({ ms }) => ms);
  return nextRecord(record, { succeededMs: timesOf(true), failedMs: timesOf(false) });
}

/** If there are no failures, the time is that of the success that reset them, or later. */
export function formatNote({ failures, lastFailureMs }: FailureRecord, nowMs: number): string {
  return `${failures}@${formatTime(failures > 0 ? lastFailureMs : nowMs)}`;
}

/** Returns 0 if a pod may be created now. */
export function remainingMs(
  backoff: Backoff,
  { failures, lastFailureMs }: FailureRecord,
  nowMs: number,
): number {
  const delayMs = backoffMs(backoff, failures);
  return delayMs === 0 ? 0 : Math.max(0, lastFailureMs + delayMs - nowMs);
}

/**
 * The number of failed pods that have been deleted. It is only known as long as nothing has
 * succeeded.
 */
function countCollected({ status }: Job, endings: readonly Ending[]): number {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const successes = (status.succeeded ?? 0) + succeeded.length;
  if (successes > 0 || endings.some(({ hasSucceeded }) => hasSucceeded)) return 0;
  const there = endings.filter(({ isInStatus }) => isInStatus).length;
  return Math.max(0, (status.failed ?? 0) + failed.length - there);
}

function parseNote(text: string): FailureRecord | undefined {
  const [, failures, time = ""] = /^([0-9]{1,9})@(.+)$/.exec(text) ?? [];
  const lastFailureMs = Date.parse(time);
  if (failures === undefined || Number.isNaN(lastFailureMs)) return undefined;
  return { failures: Number(failures), lastFailureMs };
}

function latest(times: readonly number[]): number {
  return times.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
}
