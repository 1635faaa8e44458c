/**
 * Pure: the status of a Job before and after its finished pods are released.
 *
 * 1. composeStatus lists every pod that is about to be released, by UID or by index. It is written
 *    first, because a pod without its finalizer may vanish at any time.
 * 2. settleStatus moves the released pods into the counters and, when nothing is left, marks the
 *    Job as finished.
 *
 * If pods have to be stopped because the Job ends, the end is written first, with counts as if they
 * were already stopped. Otherwise a controller that starts after a crash would take them for pods
 * that failed by themselves.
 */
import { isEqual } from "../../api/equal.ts";
import type { Job, JobCondition, JobStatus } from "../../api/generated/batch.ts";
import { formatIndexes } from "../../api/index-set.ts";
import { findCondition } from "../../api/job-conditions.ts";
import { formatTime } from "../../api/time.ts";
import type { JobDecision, JobObservation } from "./decide.ts";
import { isIndexed, isSuspended, limitsEachIndex } from "./job-facts.ts";
import { chooseReleases, type Releases } from "./releases.ts";
import { isRerunning } from "./reruns.ts";
import { completionsReached, type Verdict } from "./verdict.ts";

/** What actually happened to the pods. */
export interface PodsChanged {
  readonly created: number;
  readonly removed: number;
  /** How many of the removed pods were ready. */
  readonly removedReady: number;
  readonly errors: readonly unknown[];
}

/**
 * The expected effect of stopping the pods when the Job has just ended; undefined if the pods are
 * to be changed before the status is written.
 */
export function foreseeStops(
  job: Job,
  { verdict, podChanges }: JobDecision,
): PodsChanged | undefined {
  if (!verdict || findCondition(job, verdict.type) || podChanges.kind !== "terminate")
    return undefined;
  const { pods } = podChanges;
  const removedReady = pods.filter(({ isReady }) => isReady).length;
  return { created: 0, removed: pods.length, removedReady, errors: [] };
}

export interface ComposedStatus {
  readonly status: JobStatus;
  readonly releases: Releases;
  readonly verdict?: Verdict;
  /** The reason of the event to record after the status is written. */
  readonly suspension?: "Suspended" | "Resumed";
}

export function composeStatus(
  observation: JobObservation,
  decision: JobDecision,
  changed: PodsChanged,
): ComposedStatus {
  const { job, board, nowMs } = observation;
  const { tally } = decision;
  const active = tally.active + changed.created - changed.removed;
  const verdict = finalVerdict(observation, decision, changed, active);
  const releases = chooseReleases(job, board, verdict);
  const suspended = verdict ? {} : suspensionOf(observation, decision);
  const conditions = [...(suspended.conditions ?? job.status.conditions ?? [])];
  if (
    verdict &&
    !conditions.some(({ type, status }) => type === verdict.type && status === "True")
  ) {
    conditions.push(conditionOf({ ...verdict, status: "True" }, nowMs));
  }
  const counted = countReleased(job.status, (uid) => board.tracked.has(uid));
  const uncounted = counted.uncountedTerminatedPods ?? {};
  const { startTime = verdict && startAtEnd(observation) } = suspended.suspension
    ? suspended
    : decision;
  const status = normal({
    ...counted,
    ...indexesOf(observation),
    conditions,
    active,
    ready: tally.ready - changed.removedReady,
    terminating: tally.terminating + changed.removed,
    uncountedTerminatedPods: {
      succeeded: [...(uncounted.succeeded ?? []), ...releases.succeeded],
      failed: [...(uncounted.failed ?? []), ...releases.failed],
    },
    startTime,
  });
  return {
    status,
    releases,
    ...(verdict ? { verdict } : {}),
    ...(suspended.suspension ? { suspension: suspended.suspension } : {}),
  };
}

/** Whether the only changes are the numbers of pods. */
export function tellsCountsAlone(before: JobStatus, composed: ComposedStatus): boolean {
  const { status, releases, verdict, suspension } = composed;
  if (releases.pods.length > 0 || verdict || suspension) return false;
  const { active, ready, terminating, startTime = status.startTime } = before;
  const counts = { active, ready, terminating, startTime };
  const uncountedTerminatedPods = before.uncountedTerminatedPods ?? {};
  return isEqual(
    normal({ ...status, ...counts }),
    normal({ ...before, ...counts, uncountedTerminatedPods }),
  );
}

export interface SettledStatus {
  readonly status: JobStatus;
  /** Present if the Job is finished by this status. */
  readonly finished?: Verdict;
}

export function settleStatus(
  { status, releases, verdict }: ComposedStatus,
  released: ReadonlySet<string>,
  nowMs: number,
): SettledStatus {
  const counted = countReleased(status, (uid) => !released.has(uid));
  const { succeeded = [], failed = [] } = counted.uncountedTerminatedPods ?? {};
  const isPending = releases.hasMore || releases.pods.some(({ uid }) => !released.has(uid));
  const isUncounted = succeeded.length + failed.length > 0;
  if (!verdict || isPending || isUncounted || (counted.terminating ?? 0) > 0)
    return { status: counted };
  const type = verdict.type === "FailureTarget" ? "Failed" : "Complete";
  const conditions = withCondition(counted.conditions ?? [], { ...verdict, type }, nowMs);
  const completionTime = type === "Complete" ? { completionTime: formatTime(nowMs) } : {};
  return { status: { ...counted, ...completionTime, conditions }, finished: verdict };
}

/** The end is not declared while a pod could not be stopped. */
function finalVerdict(
  { job, board }: JobObservation,
  { verdict, podChanges, tally }: JobDecision,
  { errors }: PodsChanged,
  active: number,
): Verdict | undefined {
  if (podChanges.kind === "terminate") return errors.length === 0 ? verdict : undefined;
  if (isRerunning(board)) return undefined;
  return completionsReached(job, { active, succeeded: tally.succeeded });
}

/**
 * A suspended Job has no start time, but no Job may finish without one. A pod that was not stopped
 * in time, or that was adopted, can end such a Job. Only a Job without completions to reach needs
 * none.
 */
function startAtEnd({ job, nowMs }: JobObservation): string | undefined {
  return job.spec.completions === 0 ? undefined : formatTime(nowMs);
}

interface Suspension {
  readonly suspension?: "Suspended" | "Resumed";
  readonly conditions?: readonly JobCondition[];
  /** activeDeadlineSeconds does not run while the Job is suspended, and starts anew afterwards. */
  readonly startTime?: string;
}

function suspensionOf({ job, nowMs }: JobObservation, { podChanges }: JobDecision): Suspension {
  if (podChanges.kind === "leave" || podChanges.kind === "terminate") return {};
  const conditions = job.status.conditions ?? [];
  const current = conditions.find(({ type }) => type === "Suspended");
  if (isSuspended(job)) {
    if (current?.status === "True" && current.reason === SUSPENDED.reason) return {};
    return { suspension: "Suspended", conditions: withCondition(conditions, SUSPENDED, nowMs) };
  }
  if (current === undefined || (current.status === "False" && current.reason === RESUMED.reason)) {
    return {};
  }
  return {
    suspension: "Resumed",
    conditions: withCondition(conditions, RESUMED, nowMs),
    startTime: formatTime(nowMs),
  };
}

const SUSPENDED = { type: "Suspended", reason: "JobSuspended", message: "Job suspended" };
const RESUMED = {
  type: "Suspended",
  status: "False",
  reason: "JobResumed",
  message: "Job resumed",
};

type ConditionText = Pick<JobCondition, "type" | "reason" | "message"> & { status?: string };

function conditionOf(text: ConditionText, nowMs: number): JobCondition {
  const time = formatTime(nowMs);
  return { ...text, status: text.status ?? "True", lastProbeTime: time, lastTransitionTime: time };
}

function withCondition(
  conditions: readonly JobCondition[],
  text: ConditionText,
  nowMs: number,
): JobCondition[] {
  const next = conditionOf(text, nowMs);
  if (!conditions.some(({ type }) => type === next.type)) return [...conditions, next];
  return conditions.map((each) => (each.type === next.type ? next : each));
}

function indexesOf({ job, board }: JobObservation): LooseStatus {
  if (!isIndexed(job.spec)) return {};
  return {
    succeeded: board.completed.size,
    completedIndexes: formatIndexes(board.completed),
    failedIndexes: limitsEachIndex(job.spec) ? formatIndexes(board.failed) : undefined,
  };
}

/** A pod listed as uncounted that has lost its finalizer is added to the counters. */
function countReleased(status: JobStatus, isTracked: (uid: string) => boolean): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const left = { succeeded: succeeded.filter(isTracked), failed: failed.filter(isTracked) };
  return normal({
    ...status,
    succeeded: (status.succeeded ?? 0) + succeeded.length - left.succeeded.length,
    failed: (status.failed ?? 0) + failed.length - left.failed.length,
    uncountedTerminatedPods: left,
  });
}

/** While it is built, undefined means absent. */
type LooseStatus = { readonly [Field in keyof JobStatus]?: JobStatus[Field] | undefined };

/** Normalizes to the form the server prints, so that equal statuses compare as equal. */
function normal(status: LooseStatus): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const uncountedTerminatedPods = {
    ...(succeeded.length > 0 ? { succeeded } : {}),
    ...(failed.length > 0 ? { failed } : {}),
  };
  const fields = Object.entries({ ...status, uncountedTerminatedPods }).filter(
    ([field, value]) => value !== undefined && !(isOmittedEmpty(field) && isEmpty(value)),
  );
  return Object.fromEntries(fields);
}

function isOmittedEmpty(field: string): boolean {
  return !["ready", "terminating", "failedIndexes", "uncountedTerminatedPods"].includes(field);
}

function isEmpty(value: unknown): boolean {
  return value === 0 || value === "" || (Array.isArray(value) && value.length === 0);
}
