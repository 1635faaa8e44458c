/** Pure: why a pod has to end that would go on by itself, and how much time its processes get. */

import type { Pod } from "../../api/generated/core.ts";
import { isSidecar } from "../../api/sidecar.ts";
import { millisecondsOf } from "../../api/time.ts";
import { factsOf, findEnd, initsOf, mainsOf, type PodFacts } from "./facts.ts";
import { initializationOf, mainStateOf } from "./progress.ts";
import { findRestartOfAll } from "./restarts.ts";

export interface Ending {
  readonly why: "deleted" | "deadline" | "evicted" | "finished";
  readonly graceSeconds: number;
}

/** Undefined while nothing is started again or kept from ending by itself. */
export function findEnding(pod: Pod, facts: PodFacts, nowMs: number): Ending | undefined {
  const { metadata, status } = pod;
  if (facts.isRemoved) return { why: "deleted", graceSeconds: 0 };
  if (metadata.deletionTimestamp !== undefined) {
    return { why: "deleted", graceSeconds: metadata.deletionGracePeriodSeconds ?? 0 };
  }
  // Whoever said that it is over without having asked us meant its processes too.
  if (isTerminal(status.phase)) return { why: "finished", graceSeconds: graceOf(pod) };
  const failure = findForcedFailure(pod, facts, nowMs);
  if (failure === undefined) return undefined;
  const { why, graceSeconds = graceOf(pod) } = failure;
  return { why, graceSeconds };
}

export function isTerminal(phase: string | undefined): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

/** Of a pod that nobody deleted. */
export function graceOf({ spec }: Pod): number {
  return spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
}

const DEFAULT_GRACE_SECONDS = 30;

export interface ForcedFailure {
  readonly why: "deadline" | "evicted";
  readonly reason: string;
  readonly message: string;
  readonly graceSeconds?: number;
}

const DEADLINE_EXCEEDED: ForcedFailure = {
  why: "deadline",
  reason: "DeadlineExceeded",
  message: "Pod was active on the node longer than the specified deadline",
};

/** A pod fails whatever its containers end with, unless they had ended for good before. */
export function findForcedFailure(
  pod: Pod,
  facts: PodFacts,
  nowMs: number,
): ForcedFailure | undefined {
  const { eviction } = facts;
  if (eviction !== undefined && !wasOverBy(pod, facts, eviction.sinceMs)) {
    const { reason, message, graceSeconds } = eviction;
    return {
      why: "evicted",
      reason,
      message,
      ...(graceSeconds === undefined ? {} : { graceSeconds }),
    };
  }
  const deadlineMs = findDeadlineMs(pod, facts);
  if (deadlineMs === undefined || nowMs < deadlineMs) return undefined;
  return wasOverBy(pod, facts, deadlineMs) ? undefined : DEADLINE_EXCEEDED;
}

/** When activeDeadlineSeconds are over. */
export function findDeadlineMs(
  { spec, status }: Pod,
  { acceptedMs }: PodFacts,
): number | undefined {
  const { activeDeadlineSeconds } = spec;
  if (activeDeadlineSeconds === undefined) return undefined;
  const startMs = acceptedMs ?? (status.startTime && millisecondsOf(status.startTime));
  return typeof startMs === "number" ? startMs + activeDeadlineSeconds * 1000 : undefined;
}

/** Nothing but sidecars runs, nothing will be started again. */
export function isOver(pod: Pod, facts: PodFacts): boolean {
  const initialization = initializationOf(pod, facts);
  if (initialization.kind === "at") return false;
  if (findRestartOfAll(pod, facts) !== undefined) return false;
  if (initialization.kind === "failed") return true;
  const state = mainStateOf(pod, facts);
  return state === "succeeded" || state === "failed";
}

function wasOverBy(pod: Pod, facts: PodFacts, momentMs: number): boolean {
  // What ends in that very millisecond may have been ended by it.
  return isOver(pod, facts) && lastFinishedMs(pod, facts) < momentMs;
}

function lastFinishedMs(pod: Pod, facts: PodFacts): number {
  let latestMs = 0;
  const look = (name: string): void => {
    latestMs = Math.max(latestMs, findEnd(factsOf(facts, name))?.finishedMs ?? 0);
  };
  for (const container of initsOf(pod)) if (!isSidecar(container)) look(container.name);
  for (const { name } of mainsOf(pod)) look(name);
  return latestMs;
}
