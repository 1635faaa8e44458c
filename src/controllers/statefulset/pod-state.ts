/** Pure: the state of a pod, as ordered rollouts need it. */
import type { Pod } from "../../api/generated/core.ts";
import { millisecondsOf } from "../../api/time.ts";

export function isOver({ status }: Pod): boolean {
  return status.phase === "Failed" || status.phase === "Succeeded";
}

export function isPending({ status }: Pod): boolean {
  return status.phase === "Pending";
}

export function isTerminating({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function isRunningAndReady(pod: Pod): boolean {
  return pod.status.phase === "Running" && readyCondition(pod)?.status === "True";
}

export function isHealthy(pod: Pod): boolean {
  return isRunningAndReady(pod) && !isTerminating(pod);
}

/** 0 if it is available; Infinity if it will not become available by waiting alone. */
export function untilAvailableMs(pod: Pod, minReadySeconds: number, nowMs: number): number {
  if (!isRunningAndReady(pod)) return Number.POSITIVE_INFINITY;
  if (minReadySeconds === 0) return 0;
  const since = readyCondition(pod)?.lastTransitionTime;
  if (!since) return Number.POSITIVE_INFINITY;
  return Math.max(0, millisecondsOf(since) + minReadySeconds * 1000 - nowMs);
}

/**
 * A pod that its node rejects fails immediately, and so would its replacement. Without a delay,
 * pods would be created and deleted as fast as the server can write.
 */
const SHORTEST_LIFE_MS = 1000;

/** 0 if the pod may be replaced now. */
export function untilReplacedMs({ metadata }: Pod, nowMs: number): number {
  const { creationTimestamp } = metadata;
  if (!creationTimestamp) return 0;
  return Math.max(0, millisecondsOf(creationTimestamp) + SHORTEST_LIFE_MS - nowMs);
}

function readyCondition({ status }: Pod) {
  return status.conditions?.find(({ type }) => type === "Ready");
}
