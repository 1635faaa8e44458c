/**
 * Pure: how the attempt ended that a pod of a Job stands for. To Kubernetes a deleted pod has
 * failed. For an item of a list that is not enough: if its process never began, the item was not
 * tried, and if its Job stopped it, to continue later, the item has not failed.
 */
import { EXACT_TIMES } from "./exact-times.ts";
import type { ContainerStatus, Pod } from "./generated/core.ts";
import { isTracked } from "./job-tracking.ts";

/** On a pod, by the controller: its Job is suspended and stops it. The item has not failed. */
export const STOPPING = "tallyjob.io/stopping";
/** On a pod, by its node: it ended because its Job stopped it. */
export const STOPPED = "tallyjob.io/stopped";

export type PodEnd =
  | "Succeeded"
  | "Failed"
  /** Taken away before its end, and not counted. */
  | "Stopped"
  /** Deleted before any process of it began: it has no exit code, and is no attempt. */
  | "NeverBegan";

/** Of a pod that is over, or whose object is gone. */
export function podEndOf(pod: Pod, isRemoved: boolean): PodEnd {
  const { phase } = pod.status;
  const { deletionTimestamp } = pod.metadata;
  const isDeleted = isRemoved || deletionTimestamp !== undefined;
  if (isDeleted && !hasBegun(pod)) return "NeverBegan";
  if (phase === "Succeeded") return "Succeeded";
  return phase !== "Failed" || isStopped(pod) ? "Stopped" : "Failed";
}

/** Another node than ours does not tell: there a pod that its Job let go of counts as stopped. */
function isStopped(pod: Pod): boolean {
  const { annotations = {}, deletionTimestamp } = pod.metadata;
  if (annotations[STOPPED] !== undefined) return true;
  const isOurs = annotations[EXACT_TIMES] !== undefined;
  return !isOurs && deletionTimestamp !== undefined && isLetGo(pod);
}

/** Whether a deletion is the doing of its Job: it took the finalizer off, or said so. */
export function isLetGo(pod: Pod): boolean {
  return !isTracked(pod) || isStopping(pod);
}

export function isStopping({ metadata }: Pod): boolean {
  return metadata.annotations?.[STOPPING] !== undefined;
}

/** Whether a process of the pod runs or ran. */
export function hasBegun({ status }: Pod): boolean {
  if (status.phase === "Running" || status.phase === "Succeeded") return true;
  return [status.containerStatuses, status.initContainerStatuses].some((statuses) =>
    statuses?.some(hasContainerBegun),
  );
}

/** Of a container that was never made kubelet, too, says that it ended, with this reason. */
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
