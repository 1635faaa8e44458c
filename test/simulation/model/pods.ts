/** Pure: the role of a pod for its Job, as the API documents it. */
import type { Job, JobSpec } from "../../../src/api/generated/batch.ts";
import type { Pod } from "../../../src/api/generated/core.ts";

const TRACKING = "batch.kubernetes.io/job-tracking";
const INDEX = "batch.kubernetes.io/job-completion-index";
const FAILURES = "batch.kubernetes.io/job-index-failure-count";
const IGNORED = "batch.kubernetes.io/job-index-ignored-failure-count";

export function isTracked({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(TRACKING) ?? false;
}

export function isTerminal({ status }: Pod): boolean {
  return status.phase === "Succeeded" || status.phase === "Failed";
}

export function isBeingDeleted({ metadata }: Pod | Job): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function isActive(pod: Pod): boolean {
  return !isTerminal(pod) && !isBeingDeleted(pod);
}

export function isTerminating(pod: Pod): boolean {
  return !isTerminal(pod) && isBeingDeleted(pod);
}

export function isReady({ status }: Pod): boolean {
  return (
    status.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false
  );
}

export function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[INDEX] ?? "";
  return /^[0-9]+$/.test(text) ? Number(text) : undefined;
}

/** Whether the pod's index is in the range of the Job; always true if the Job is not Indexed. */
export function hasPlace({ completionMode, completions = 0 }: JobSpec, pod: Pod): boolean {
  if (completionMode !== "Indexed") return true;
  const index = indexOf(pod);
  return index !== undefined && index < completions;
}

export function failureCounts({ metadata }: Pod): { counted: number; ignored: number } {
  const read = (annotation: string) => Number(metadata.annotations?.[annotation] ?? 0);
  return { counted: read(FAILURES), ignored: read(IGNORED) };
}

/** If true, a terminating pod has not failed yet, and is replaced only when it has ended. */
export function waitsForEnd({ podReplacementPolicy, podFailurePolicy }: JobSpec): boolean {
  return podReplacementPolicy === "Failed" || podFailurePolicy !== undefined;
}

export function hasFailed(spec: JobSpec, pod: Pod): boolean {
  if (pod.status.phase === "Failed") return true;
  return !waitsForEnd(spec) && isTerminating(pod);
}

export function isSelected({ spec }: Job, { metadata }: Pod): boolean {
  const wanted = Object.entries(spec.selector?.matchLabels ?? {});
  return wanted.length > 0 && wanted.every(([key, value]) => metadata.labels?.[key] === value);
}

export function restartsOf({ status }: Pod): number {
  if (status.phase !== "Running" && status.phase !== "Pending") return 0;
  const all = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
  return all.reduce((sum, { restartCount }) => sum + restartCount, 0);
}

/** When the pod ended. */
export function finishMs({ metadata, status }: Pod): number {
  const ends = (status.containerStatuses ?? []).map(({ state }) => state.terminated?.finishedAt);
  if (ends.length > 0 && ends.every((end) => end)) {
    return Math.max(...ends.map((end) => Date.parse(end ?? "")));
  }
  const ready = status.conditions?.find(({ type }) => type === "Ready");
  if (ready?.status === "False" && ready.lastTransitionTime) {
    return Date.parse(ready.lastTransitionTime);
  }
  if (metadata.deletionTimestamp !== undefined) {
    const graceMs = (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
    return Date.parse(metadata.deletionTimestamp) - graceMs;
  }
  return Date.parse(metadata.creationTimestamp ?? "");
}
