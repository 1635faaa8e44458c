/**
 * Pure: the state of a run, from its Job.
 *
 * Reading order of the folder: reporter with open-reporter, line-reporter, json-reporter and
 * screen/ (a run in the foreground), item-output, item-text, progress and summary; this file with
 * status-text, list-table and results (a run that is read later); page/ (the report); attempt-logs
 * and file-logs.
 */

import type { Job, JobCondition } from "../../api/generated/batch.ts";
import { parseIndexes } from "../../api/index-set.ts";
import { finishOf } from "../../api/job-conditions.ts";
import { runsAhead } from "../../api/pods-ahead.ts";
import { millisecondsOf } from "../../api/time.ts";
import { DONE_BEFORE, PAUSED } from "../../api/work-list/names.ts";
import { CONTINUES_FROM } from "../../ledger/story.ts";

export type RunPhase =
  | "Running"
  /** No new items are started, because a user asked for that. */
  | "Paused"
  /** It is not finished, and no engine is running. */
  | "Stopped"
  | "Succeeded"
  | "Failed";

export interface RunState {
  readonly name: string;
  readonly phase: RunPhase;
  /** Why it failed; undefined if the reason is that items failed. */
  readonly reason: string | undefined;
  /** Undefined for a work-queue Job. */
  readonly total: number | undefined;
  readonly succeeded: number;
  /** Items that had succeeded before this Job was created. */
  readonly before: number;
  /** Items that failed and are not retried, as far as the Job lists them. */
  readonly failed: number;
  readonly active: number;
  readonly createdMs: number;
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
}

export function runStateOf(job: Job, isLive: boolean): RunState {
  const { metadata, spec, status } = job;
  const total = spec.completions;
  const finish = finishOf(job);
  return {
    name: metadata.name ?? "",
    phase: phaseOf(job, finish?.type, isLive),
    reason: finish?.type === "Failed" ? reasonOf(finish) : undefined,
    total,
    succeeded: status.succeeded ?? 0,
    before: doneBefore(job),
    failed: failedOf(job),
    active: activeOf(job),
    createdMs: timeOf(metadata.creationTimestamp) ?? 0,
    startMs: timeOf(status.startTime),
    endMs: timeOf(status.completionTime ?? finish?.lastTransitionTime),
  };
}

function doneBefore({ metadata, spec }: Job): number {
  const { [DONE_BEFORE]: counted, [CONTINUES_FROM]: completed = "" } = metadata.annotations ?? {};
  if (counted !== undefined) return Number(counted) || 0;
  return completed === "" ? 0 : parseIndexes(completed, spec.completions ?? 0).size;
}

/** Without pods that were created ahead. */
function activeOf(job: Job): number {
  const { active = 0 } = job.status;
  return runsAhead(job) ? Math.min(active, job.spec.parallelism ?? 1) : active;
}

function phaseOf({ metadata, spec }: Job, finish: string | undefined, isLive: boolean): RunPhase {
  if (finish !== undefined) return finish === "Complete" ? "Succeeded" : "Failed";
  if (!isLive) return "Stopped";
  const isPaused = metadata.annotations?.[PAUSED] !== undefined || spec.suspend === true;
  return isPaused ? "Paused" : "Running";
}

/** FailedIndexes only repeats that items have failed. */
function reasonOf({ reason }: JobCondition): string | undefined {
  return reason === "FailedIndexes" ? undefined : reason || undefined;
}

function failedOf({ spec, status }: Job): number {
  if (spec.completionMode !== "Indexed") return status.failed ?? 0;
  const { failedIndexes = "" } = status;
  return failedIndexes === "" ? 0 : parseIndexes(failedIndexes, spec.completions ?? 0).size;
}

function timeOf(text: string | null | undefined): number | undefined {
  return text ? millisecondsOf(text) : undefined;
}

/** Items that a finished run has not run to their end. */
export function notRunOf({ phase, total, succeeded, failed }: RunState): number {
  const isOver = phase === "Succeeded" || phase === "Failed";
  return isOver && total !== undefined ? Math.max(0, total - succeeded - failed) : 0;
}

/** The duration until now, or until its end. */
export function tookMsOf({ startMs, endMs }: RunState, nowMs: number): number | undefined {
  return startMs === undefined ? undefined : Math.max(0, (endMs ?? nowMs) - startMs);
}
