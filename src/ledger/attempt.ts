/** Pure: derives attempts at an index from a pod: those that have ended and the current one. */

import { completionIndexOf } from "../api/completion-index.ts";
import { isEqual } from "../api/equal.ts";
import { EXACT_TIMES, parseExactTimes } from "../api/exact-times.ts";
import { isExitUnknown } from "../api/exit-unknown.ts";
import type { ContainerStateTerminated, ContainerStatus, Pod } from "../api/generated/core.ts";
import { controllerOf } from "../api/owner-reference.ts";
import { type PodEnd, podEndOf } from "../api/pod-end.ts";
import { formatTime } from "../api/time.ts";

/** Unknown: it ended, but its exit code could not be recorded. */
export type Outcome = "Pending" | "Running" | "Succeeded" | "Failed" | "Unknown" | "Deleted";

/**
 * Every field is always present: there are many thousand attempts, and one object shape is cheap.
 */
export interface Attempt {
  readonly outcome: Outcome;
  readonly startTime: string | undefined;
  readonly endTime: string | undefined;
  readonly exitCode: number | undefined;
  readonly signal: number | undefined;
  readonly reason: string | undefined;
  readonly message: string | undefined;
  readonly logFile: string | undefined;
  readonly node: string | undefined;
  readonly pod: string;
  readonly podUID: string;
  readonly jobUID: string;
}

export interface PlacedAttempt {
  readonly jobName: string;
  readonly index: number;
  /** Which run of the pod it was: the last one, or one that was restarted in place. */
  readonly run: string;
  readonly created: string;
  readonly attempt: Attempt;
}

export interface PodStep {
  readonly pod: Pod;
  /** Absent for a new pod, and for a deletion. */
  readonly previous?: Pod;
  readonly isDeleted: boolean;
  readonly nowMs: number;
}

/** The run that ends the pod. Sorts after all other runs. */
const LAST_RUN = "~";
/** Annotation by which the node agent reports where the output of a pod is stored. */
export const LOG_FILE = "tallyjob.io/log-file";

const MAX_MESSAGE = 256;
const MAX_INDEX = 2 ** 31 - 1;

export function attemptsEndedBy({ pod, previous, isDeleted, nowMs }: PodStep): PlacedAttempt[] {
  const hasEnded = isOver(pod);
  // The attempt was already recorded when the pod ended.
  if (isDeleted && hasEnded) return NONE;
  const restarted = previous ? restartedContainers(pod, previous) : NONE;
  const isNews = isDeleted || (hasEnded && !(previous && hasSameEnd(pod, previous)));
  if (!isNews && restarted.length === 0) return NONE;
  const place = placeOf(pod);
  if (!place) return NONE;
  const { jobName, index, created } = place;
  const ended: PlacedAttempt[] = restarted.map(({ status, terminated }) => {
    const run = `${status.name}\0${String(status.restartCount).padStart(6, "0")}`;
    return { jobName, index, created, run, attempt: restartedAttempt(pod, place, terminated) };
  });
  if (!isNews) return ended;
  const end = podEndOf(pod, isDeleted);
  if (end === "NeverBegan") return ended;
  const attempt = hasEnded ? finalAttempt(pod, place, end) : deletedAttempt(pod, place, nowMs);
  ended.push({ jobName, index, created, run: LAST_RUN, attempt });
  return ended;
}

const NONE: never[] = [];

/** The attempt of a pod that has not ended; undefined if the pod belongs to no index. */
export function currentAttempt(pod: Pod): PlacedAttempt | undefined {
  const place = placeOf(pod);
  if (!place || isOver(pod)) return undefined;
  const { jobName, index, created } = place;
  const { status } = pod;
  const outcome = status.phase === "Running" ? "Running" : "Pending";
  const attempt = compose(pod, place, { outcome, startTime: startOf(pod), reason: status.reason });
  return { jobName, index, created, run: LAST_RUN, attempt };
}

function isOver({ status }: Pod): boolean {
  return status.phase === "Succeeded" || status.phase === "Failed";
}

/**
 * Most pods are written once more after their end, by the controller that counted them. Such a
 * write must not produce another note.
 */
function hasSameEnd(pod: Pod, previous: Pod): boolean {
  return (
    isOver(previous) &&
    pod.metadata.annotations?.[LOG_FILE] === previous.metadata.annotations?.[LOG_FILE] &&
    isEqual(pod.status, previous.status)
  );
}

interface Restart {
  readonly status: ContainerStatus;
  readonly terminated: ContainerStateTerminated;
}

function restartedContainers({ status }: Pod, previous: Pod): readonly Restart[] {
  let restarted: Restart[] = NONE;
  for (const now of status.containerStatuses ?? NONE) {
    if (now.restartCount === 0) continue;
    const before = previous.status.containerStatuses?.find(({ name }) => name === now.name);
    const { terminated } = now.lastState;
    if (terminated && now.restartCount > (before?.restartCount ?? 0)) {
      restarted = [...restarted, { status: now, terminated }];
    }
  }
  return restarted;
}

interface Place {
  readonly jobName: string;
  readonly jobUID: string;
  readonly index: number;
  readonly created: string;
}

function placeOf(pod: Pod): Place | undefined {
  const { creationTimestamp } = pod.metadata;
  const owner = controllerOf(pod);
  if (owner?.kind !== "Job" || !owner.apiVersion.startsWith("batch/")) return undefined;
  const index = indexOf(pod, owner.name);
  if (index === undefined || index > MAX_INDEX) return undefined;
  return { jobName: owner.name, jobUID: owner.uid, index, created: creationTimestamp ?? "" };
}

/**
 * The index that the pod was created for, taken from its hostname, which is immutable. Clients can
 * edit the annotation, which could attribute the attempt to an index that was never run.
 */
function indexOf(pod: Pod, jobName: string): number | undefined {
  const { hostname = "" } = pod.spec;
  const ending = hostname.startsWith(`${jobName}-`) ? hostname.slice(jobName.length + 1) : "";
  return /^[0-9]+$/.test(ending) ? Number(ending) : completionIndexOf(pod);
}

interface Ending {
  readonly outcome: Outcome;
  readonly startTime?: string | null | undefined;
  readonly endTime?: string | null | undefined;
  readonly terminated?: ContainerStateTerminated | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

function compose(pod: Pod, { jobUID }: Place, ending: Ending): Attempt {
  const { metadata, spec } = pod;
  const { terminated } = ending;
  const message = ending.message || terminated?.message || undefined;
  return {
    outcome: ending.outcome,
    startTime: ending.startTime ?? undefined,
    endTime: ending.endTime ?? undefined,
    exitCode: terminated?.exitCode,
    signal: terminated?.signal || undefined,
    reason: ending.reason || terminated?.reason || undefined,
    message:
      message && message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message,
    logFile: metadata.annotations?.[LOG_FILE],
    node: spec.nodeName || undefined,
    pod: metadata.name ?? "",
    podUID: metadata.uid ?? "",
    jobUID,
  };
}

function restartedAttempt(pod: Pod, place: Place, terminated: ContainerStateTerminated): Attempt {
  const outcome = terminated.exitCode === 0 ? "Succeeded" : "Failed";
  const { startedAt: startTime, finishedAt: endTime } = terminated;
  return compose(pod, place, { outcome, startTime, endTime, terminated });
}

function finalAttempt(pod: Pod, place: Place, end: PodEnd): Attempt {
  const { status, metadata } = pod;
  const exact = parseExactTimes(metadata.annotations?.[EXACT_TIMES]);
  const main = status.containerStatuses;
  const last = endedLast(main);
  const decisive = firstFailed(main) ?? firstFailed(status.initContainerStatuses) ?? last;
  return compose(pod, place, {
    outcome: outcomeOf(pod, end),
    startTime: exact ? exactTime(exact.startedMs) : startOf(pod),
    endTime: exact ? exactTime(exact.finishedMs) : (last?.finishedAt ?? decisive?.finishedAt),
    terminated: decisive,
    reason: status.reason || disruptionOf(pod),
    message: status.message,
  });
}

function outcomeOf(pod: Pod, end: PodEnd): Outcome {
  if (end === "Failed" && isExitUnknown(pod)) return "Unknown";
  return end === "Succeeded" || end === "Failed" ? end : "Deleted";
}

function exactTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** The pod was deleted before it ended, whatever state its containers were in. */
function deletedAttempt(pod: Pod, place: Place, nowMs: number): Attempt {
  const { status } = pod;
  return compose(pod, place, {
    outcome: "Deleted",
    startTime: startOf(pod),
    endTime: formatTime(nowMs),
    reason: status.reason || disruptionOf(pod) || "Deleted",
    message: status.message,
  });
}

/** The reason for a disruption, such as an eviction, if known. */
function disruptionOf({ status }: Pod): string | undefined {
  return status.conditions?.find(
    (condition) => condition.type === "DisruptionTarget" && condition.status === "True",
  )?.reason;
}

function firstFailed(
  statuses: readonly ContainerStatus[] = NONE,
): ContainerStateTerminated | undefined {
  let first: ContainerStateTerminated | undefined;
  for (const { state } of statuses) {
    const { terminated } = state;
    if (!terminated || terminated.exitCode === 0) continue;
    if (!first || endOf(terminated) < endOf(first)) first = terminated;
  }
  return first;
}

function endedLast(
  statuses: readonly ContainerStatus[] = NONE,
): ContainerStateTerminated | undefined {
  let last: ContainerStateTerminated | undefined;
  for (const { state } of statuses) {
    const { terminated } = state;
    if (terminated && (!last || endOf(terminated) > endOf(last))) last = terminated;
  }
  return last;
}

/** Times are canonical (whole seconds, UTC), so that their texts sort by time. */
function endOf({ finishedAt }: ContainerStateTerminated): string {
  return finishedAt ?? "";
}

/** When the first of its containers started its current or last run. */
function startOf({ status }: Pod): string | undefined {
  let first: string | undefined;
  for (const { state } of status.containerStatuses ?? NONE) {
    const start = state.running?.startedAt ?? state.terminated?.startedAt ?? undefined;
    if (start !== undefined && (first === undefined || start < first)) first = start;
  }
  return first ?? status.startTime;
}
