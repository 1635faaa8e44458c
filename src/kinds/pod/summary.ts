/** Pure: the state of a pod in one word, and the number of its ready containers. */

import type {
  Container,
  ContainerStateTerminated,
  ContainerStatus,
  Pod,
} from "../../api/generated/core.ts";
import { isSidecar } from "../../api/sidecar.ts";

export interface PodSummary {
  readonly ready: number;
  readonly total: number;
  /** "Running", "Init:1/2", "CrashLoopBackOff", … */
  readonly reason: string;
  readonly restarts: number;
  /** When a restarted container last ended. */
  readonly lastRestart: string | undefined;
}

export function podSummary(pod: Pod): PodSummary {
  const { spec, status } = pod;
  const sidecars = (spec.initContainers ?? []).filter(isSidecar);
  const total = (spec.containers ?? []).length + sidecars.length;
  const init = initSummary(pod);
  const isInitialized = hasTrueCondition(pod, "Initialized");
  if (init.reason !== undefined && !isInitialized) {
    const { ready, restarts, lastRestart } = init;
    return { ready, total, reason: whenDeleted(pod, init.reason), restarts, lastRestart };
  }
  const names = new Set(sidecars.map(({ name }) => name));
  const visited = (status.initContainerStatuses ?? []).slice(0, init.visited);
  const beside = visited.filter(({ name }) => names.has(name));
  const counted = [...beside, ...(status.containerStatuses ?? [])];
  const main = mainSummary(pod, init.reason ?? phaseReason(pod));
  return {
    ready: init.ready + main.ready,
    total,
    reason: whenDeleted(pod, main.reason),
    restarts: sumRestarts(counted),
    lastRestart: latestEnd(counted),
  };
}

function phaseReason({ status }: Pod): string {
  const isGated = (status.conditions ?? []).some(
    ({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated",
  );
  return isGated ? "SchedulingGated" : status.reason || (status.phase ?? "");
}

interface InitSummary {
  readonly ready: number;
  /** Undefined once all init containers are done. */
  readonly reason: string | undefined;
  readonly restarts: number;
  readonly lastRestart: string | undefined;
  /** How many statuses were visited up to the one that blocks the pod. */
  readonly visited: number;
}

/** Init containers run in order: the first one that is not done decides. */
function initSummary({ spec, status }: Pod): InitSummary {
  const statuses = status.initContainerStatuses ?? [];
  const containers = spec.initContainers ?? [];
  // If two containers have the same name, the first counts.
  const byName = new Map([...containers].reverse().map((each) => [each.name, each]));
  let ready = 0;
  for (const [at, each] of statuses.entries()) {
    const container = byName.get(each.name);
    const progress = initProgress(each, container);
    if (progress === "ready") ready++;
    if (progress !== undefined) continue;
    const seen = statuses.slice(0, at + 1);
    const reason = initReason(each, `${at}/${containers.length}`);
    const [restarts, lastRestart] = [sumRestarts(seen), latestEnd(seen)];
    return { ready, reason: `Init:${reason}`, restarts, lastRestart, visited: seen.length };
  }
  return {
    ready,
    reason: undefined,
    restarts: 0,
    lastRestart: undefined,
    visited: statuses.length,
  };
}

function initProgress(
  status: ContainerStatus,
  container: Container | undefined,
): "done" | "ready" | undefined {
  if (status.state.terminated?.exitCode === 0) return "done";
  if (container === undefined || !isSidecar(container) || !status.started) return undefined;
  return status.ready ? "ready" : "done";
}

function initReason({ state }: ContainerStatus, position: string): string {
  if (state.terminated) return endReason(state.terminated);
  const waiting = state.waiting?.reason ?? "";
  return waiting === "" || waiting === "PodInitializing" ? position : waiting;
}

/**
 * Containers are visited from the last to the first, and the last one visited with a reason wins.
 */
function mainSummary(
  pod: Pod,
  initially: string,
): { readonly ready: number; readonly reason: string } {
  let reason = initially;
  let ready = 0;
  for (const { state, ready: isReady } of (pod.status.containerStatuses ?? []).toReversed()) {
    if (state.waiting?.reason) reason = state.waiting.reason;
    else if (state.terminated) reason = endReason(state.terminated);
    else if (isReady && state.running) ready++;
  }
  if (reason !== "Completed" || ready === 0) return { ready, reason };
  return { ready, reason: hasTrueCondition(pod, "Ready") ? "Running" : "NotReady" };
}

function endReason({ reason = "", signal = 0, exitCode }: ContainerStateTerminated): string {
  if (reason !== "") return reason;
  return signal === 0 ? `ExitCode:${exitCode}` : `Signal:${signal}`;
}

function whenDeleted({ metadata, status }: Pod, reason: string): string {
  if (metadata.deletionTimestamp === undefined) return reason;
  if (status.reason === "NodeLost") return "Unknown";
  const hasEnded = status.phase === "Succeeded" || status.phase === "Failed";
  return hasEnded ? reason : "Terminating";
}

function hasTrueCondition({ status }: Pod, wanted: string): boolean {
  const condition = (status.conditions ?? []).find(({ type }) => type === wanted);
  return condition?.status === "True";
}

function sumRestarts(statuses: readonly ContainerStatus[]): number {
  return statuses.reduce((sum, { restartCount }) => sum + restartCount, 0);
}

function latestEnd(statuses: readonly ContainerStatus[]): string | undefined {
  const ends = statuses.flatMap(({ lastState }) => lastState.terminated?.finishedAt ?? []);
  return ends.sort().at(-1);
}
