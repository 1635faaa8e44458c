/**
 * Pure: how long a Job waits after failures before it creates a pod again.
 *
 * The record is kept in memory and found out again after a restart: from the pods that are still
 * there. A Job that does not keep its pods notes it in an annotation of its own, before a pod may
 * go: the status has no place for it, and knows no times.
 *
 * Pods that their node ended count while the controller runs, as in Kubernetes. A restart forgets
 * them: a server that stops and starts again would otherwise wait for minutes after its own stop.
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

/** How a pod that is still there has ended. */
export interface Ending {
  readonly ms: number;
  readonly hasSucceeded: boolean;
  /** Whether it is one of the failures in the Job's status. */
  readonly isInStatus: boolean;
  /** Whether its node ended it. */
  readonly isByNode?: boolean;
}

/** After a restart. What the note knows ended no later than its time. */
export function recallRecord(job: Job, endings: readonly Ending[]): FailureRecord {
  const note = parseNote(job.metadata.annotations?.[FAILURES_NOTE] ?? "");
  const record = note ?? { failures: countCollected(job, endings), lastFailureMs: 0 };
  const later = endings.filter(({ ms, isByNode }) => ms > record.lastFailureMs && !isByNode);
  const timesOf = (hasSucceeded: boolean) =>
    later.filter((each) => each.hasSucceeded === hasSucceeded).map(({ ms }) => ms);
  return nextRecord(record, { succeededMs: timesOf(true), failedMs: timesOf(false) });
}

/** Without failures the time is that of the success which wiped them, or later. */
export function formatNote({ failures, lastFailureMs }: FailureRecord, nowMs: number): string {
  return `${failures}@${formatTime(failures > 0 ? lastFailureMs : nowMs)}`;
}

/** Nothing when a pod may be created now. */
export function remainingMs(
  backoff: Backoff,
  { failures, lastFailureMs }: FailureRecord,
  nowMs: number,
): number {
  const delayMs = backoffMs(backoff, failures);
  return delayMs === 0 ? 0 : Math.max(0, lastFailureMs + delayMs - nowMs);
}

/** Failed pods that somebody deleted; how many is known only as long as nothing has succeeded. */
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
