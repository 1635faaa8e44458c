/** Pure: properties of a pod that its Job needs. */

import type { Container, ContainerStatus, Pod, PodCondition } from "../../api/generated/core.ts";
import { isStopping, podEndOf } from "../../api/pod-end.ts";
import { isSidecar } from "../../api/sidecar.ts";
import { millisecondsOf } from "../../api/time.ts";
import { INDEX_FAILURE_COUNT, INDEX_IGNORED_FAILURE_COUNT, RERUN } from "./names.ts";

export type Stage = "active" | "terminating" | "succeeded" | "failed";

export function stageOf({ metadata, status }: Pod): Stage {
  if (status.phase === "Succeeded") return "succeeded";
  if (status.phase === "Failed") return "failed";
  return metadata.deletionTimestamp === undefined ? "active" : "terminating";
}

export { isTracked as hasTrackingFinalizer } from "../../api/job-tracking.ts";

/** True if the node ended the pod for reasons of its own, for example because it shut down. */
export function wasEndedByNode({ status }: Pod): boolean {
  return (status.conditions ?? []).some(
    ({ type, status: is, reason }) =>
      type === "DisruptionTarget" && is === "True" && reason === "TerminationByKubelet",
  );
}

/** True if the Job stopped the pod before it ended by itself or before it started. */
export function wasStoppedByJob(pod: Pod): boolean {
  if (!isStopping(pod) || pod.status.phase !== "Failed") return false;
  const end = podEndOf(pod, false);
  return end === "Stopped" || end === "NeverBegan";
}

export function isRerun({ metadata }: Pod): boolean {
  return metadata.annotations?.[RERUN] !== undefined;
}

export function findReady({ status }: Pod): PodCondition | undefined {
  return status.conditions?.find(({ type }) => type === "Ready");
}

export function isReady(pod: Pod): boolean {
  return findReady(pod)?.status === "True";
}

/** The restarts that count against the backoffLimit of a Job whose pods restart in place. */
export function restartsOf({ status }: Pod): number {
  if (status.phase !== "Running" && status.phase !== "Pending") return 0;
  let restarts = 0;
  for (const { restartCount } of status.initContainerStatuses ?? []) restarts += restartCount;
  for (const { restartCount } of status.containerStatuses ?? []) restarts += restartCount;
  return restarts;
}

const INT32_MAX = 2 ** 31 - 1;

/**
 * How often its index had failed before the pod was created, according to the pod's annotations.
 */
export function failuresBefore(pod: Pod): { readonly counted: number; readonly ignored: number } {
  const read = (annotation: string): number => {
    const value = parseInteger(pod.metadata.annotations?.[annotation]);
    return value !== undefined && value >= 0 && value <= INT32_MAX ? value : 0;
  };
  return { counted: read(INDEX_FAILURE_COUNT), ignored: read(INDEX_IGNORED_FAILURE_COUNT) };
}

/**
 * When the pod ended: when its last container ended, if all have an end time; else when it stopped
 * being ready; else when it was deleted; else when it was created (which should not occur).
 */
export function finishedMs(pod: Pod): number {
  const { metadata } = pod;
  const containersMs = containersFinishedMs(pod);
  if (containersMs !== undefined) return containersMs;
  const ready = findReady(pod);
  if (ready?.status === "False" && ready.lastTransitionTime) {
    return millisecondsOf(ready.lastTransitionTime);
  }
  if (metadata.deletionTimestamp !== undefined) {
    const graceSeconds = metadata.deletionGracePeriodSeconds ?? 0;
    return millisecondsOf(metadata.deletionTimestamp) - graceSeconds * 1000;
  }
  return metadata.creationTimestamp === undefined ? 0 : millisecondsOf(metadata.creationTimestamp);
}

function containersFinishedMs({ spec, status }: Pod): number | undefined {
  const sidecars = sidecarNames(spec.initContainers ?? []);
  const ending: ContainerStatus[] = [
    ...(status.containerStatuses ?? []),
    ...(status.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name)),
  ];
  let latestMs: number | undefined;
  for (const { state } of ending) {
    const finishedAt = state.terminated?.finishedAt;
    if (!finishedAt) return undefined;
    latestMs = Math.max(latestMs ?? Number.NEGATIVE_INFINITY, millisecondsOf(finishedAt));
  }
  return latestMs;
}

/** Init containers that keep running beside the main containers and end after them. */
export function sidecarNames(initContainers: readonly Container[]): ReadonlySet<string> {
  const sidecars = initContainers.filter(isSidecar);
  return new Set(sidecars.map(({ name }) => name));
}

function parseInteger(text: string | undefined): number | undefined {
  if (text === undefined || !/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}
