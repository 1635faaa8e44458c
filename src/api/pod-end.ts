/**
 * Pure: how the attempt of a pod ended. To Kubernetes a deleted pod has failed. For an item of a
 * work list this is not precise enough: if its process never started, the item was not tried, and
 * if its Job stopped it in order to continue later, the item has not failed.
 */
import { EXACT_TIMES } from "./exact-times.ts";
import type { ContainerStatus, Pod } from "./generated/core.ts";
import { isTracked } from "./job-tracking.ts";

/** On a pod, set by the controller: its Job is suspended and stops it. The item has not failed. */
export const STOPPING = "tallyjob.io/stopping";
/** On a pod, set by its node: it ended because its Job stopped it. */
export const STOPPED = "tallyjob.io/stopped";

export type PodEnd =
  | "Succeeded"
  | "Failed"
  /** Deleted before it ended, and not counted. */
  | "Stopped"
  /**
   * Deleted before any of its processes started. It has no exit code and does not count as an
   * attempt.
   */
  | "NeverBegan";

/** For a pod that has ended, or whose object is gone. */
export function podEndOf(pod: Pod, isRemoved: boolean): PodEnd {
  const { phase } = pod.status;
  const { deletionTimestamp } = pod.metadata;
  const isDeleted = isRemoved || deletionTimestamp !== undefined;
  if (isDeleted && !hasBegun(pod)) return "NeverBegan";
  if (phase === "Succeeded") return "Succeeded";
  return phase !== "Failed" || isStopped(pod) ? "Stopped" : "Failed";
}

/**
 * Nodes other than Tally's do not set STOPPED. A pod there that its Job released counts as stopped.
 */
function isStopped(pod: Pod): boolean {
  const { annotations = {}, deletionTimestamp } = pod.metadata;
  if (annotations[STOPPED] !== undefined) return true;
  const isOurs = annotations[EXACT_TIMES] !== undefined;
  return !isOurs && deletionTimestamp !== undefined && isLetGo(pod);
}

/** Whether the Job caused the deletion: it removed the finalizer, or marked the pod as stopping. */
export function isLetGo(pod: Pod): boolean {
  return !isTracked(pod) || isStopping(pod);
}

export function isStopping({ metadata }: Pod): boolean {
  return metadata.annotations?.[STOPPING] !== undefined;
}

/** Whether a process of the pod runs or has run. */
export function hasBegun({ status }: Pod): boolean {
  if (status.phase === "Running" || status.phase === "Succeeded") return true;
  return [status.containerStatuses, status.initContainerStatuses].some((statuses) =>
    statuses?.some(hasContainerBegun),
  );
}

/** The kubelet also reports a container that was never created as terminated, with this reason. */
const MISSED = "ContainerStatusUnknown";

function hasContainerBegun(container: ContainerStatus): boolean {
  const { containerID, restartCount, state, lastState } = container;
  const { terminated } = state;
  return (
    (containerID ?? "") !== "" ||
    restartCount > 0 ||
    state.running !== undefined ||
    lastState.terminated !== undefined ||
    (terminated !== undefined && (terminated.reason !== MISSED || Boolean(terminated.startedAt)))
  );
}
