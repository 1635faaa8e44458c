/** Pure: how far along a pod is, as ordered rollouts see it. */
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

/** 0 for one that is available; Infinity for one that time alone does not make available. */
export function untilAvailableMs(pod: Pod, minReadySeconds: number, nowMs: number): number {
  if (!isRunningAndReady(pod)) return Number.POSITIVE_INFINITY;
  if (minReadySeconds === 0) return 0;
  const since = readyCondition(pod)?.lastTransitionTime;
  if (!since) return Number.POSITIVE_INFINITY;
  return Math.max(0, millisecondsOf(since) + minReadySeconds * 1000 - nowMs);
}

/**
 * A pod that its node refuses is over as soon as it is there, and so will the next one be: without
 * a pause they would come and go as fast as the server can write.
 */
const SHORTEST_LIFE_MS = 1000;

/** 0 for one whose place may be given to another. */
export function untilReplacedMs({ metadata }: Pod, nowMs: number): number {
  const { creationTimestamp } = metadata;
  if (!creationTimestamp) return 0;
  return Math.max(0, millisecondsOf(creationTimestamp) + SHORTEST_LIFE_MS - nowMs);
}

function readyCondition({ status }: Pod) {
  return status.conditions?.find(({ type }) => type === "Ready");
}
