/**
 * Pure: what a pod needs next.
 *
 * Whoever carries out a plan notes what it began (`transitions.ts`) and plans again whenever
 * something happened, the object changed, or againInMs have passed. A plan is never remembered: it
 * follows from the object, the facts and the time. Read `facts.ts` first, then `progress.ts`,
 * `restarts.ts`, `endings.ts` and `termination.ts`.
 */

import type { Container, Pod } from "../../api/generated/core.ts";
import { isSidecar } from "../../api/sidecar.ts";
import { findDeadlineMs, findEnding, graceOf, isOver, isTerminal } from "./endings.ts";
import {
  exitCodeOf,
  factsOf,
  findEnd,
  hasLife,
  hasRun,
  initsOf,
  isAlive,
  mainsOf,
  type PodFacts,
} from "./facts.ts";
import { initializationOf } from "./progress.ts";
import { findRestartOfAll, restartDelay, restartsAfter } from "./restarts.ts";
import { composePodStatus } from "./status.ts";
import {
  MIN_GRACE_SECONDS,
  planTermination,
  type StopOrder,
  type TerminationAction,
} from "./termination.ts";

export type PodAction =
  | { readonly kind: "start"; readonly container: string; readonly attempt: number }
  | TerminationAction
  /** All containers have stopped and begin again, the first init container first. */
  | { readonly kind: "renew" }
  /** DELETE with grace 0 and the UID as precondition: the final status is stored. */
  | { readonly kind: "remove" };

export interface PodPlan {
  readonly actions: readonly PodAction[];
  readonly againInMs?: number;
}

const NOTHING: PodPlan = { actions: [] };
const RENEW: PodPlan = { actions: [{ kind: "renew" }], againInMs: 0 };
const REMOVE: PodPlan = { actions: [{ kind: "remove" }] };

export function planPod(pod: Pod, facts: PodFacts, nowMs: number): PodPlan {
  const ending = findEnding(pod, facts, nowMs);
  if (ending) {
    return hasLife(facts) ? planStop(pod, facts, nowMs, ending) : planRemoval(pod, facts, nowMs);
  }
  if (facts.rejection || facts.acceptedMs === undefined) return NOTHING;
  if (findRestartOfAll(pod, facts)) {
    if (!hasLife(facts)) return RENEW;
    const order: StopOrder = { why: "restartAll", graceSeconds: MIN_GRACE_SECONDS };
    return planStop(pod, facts, nowMs, order);
  }
  if (!isOver(pod, facts)) return planStarts(pod, facts, nowMs);
  if (!hasLife(facts)) return NOTHING;
  return planStop(pod, facts, nowMs, { why: "sidecar", graceSeconds: graceOf(pod) });
}

function planStop(pod: Pod, facts: PodFacts, nowMs: number, order: StopOrder): PodPlan {
  const { actions, againMs } = planTermination(pod, facts, nowMs, order);
  return planned(actions, againMs, nowMs);
}

function planned(
  actions: readonly PodAction[],
  againMs: number | undefined,
  nowMs: number,
): PodPlan {
  if (againMs === undefined) return actions.length === 0 ? NOTHING : { actions };
  return { actions, againInMs: Math.max(0, againMs - nowMs) };
}

/** The last word on a pod is stored before it goes: its Job counts by it. */
function planRemoval(pod: Pod, facts: PodFacts, nowMs: number): PodPlan {
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  // With a grace of 0 its removal was asked for already, and others' finalizers keep it.
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === 0) return NOTHING;
  if (facts.isRemoved || !isTerminal(pod.status.phase)) return NOTHING;
  return composePodStatus(pod, facts, nowMs) === pod.status ? REMOVE : NOTHING;
}

function planStarts(pod: Pod, facts: PodFacts, nowMs: number): PodPlan {
  const actions: PodAction[] = [];
  let againMs = findDeadlineMs(pod, facts);
  for (const { name } of dueContainers(pod, facts)) {
    const known = factsOf(facts, name);
    if (isAlive(known) || known.waiting) continue;
    const { dueMs } = restartDelay(known);
    if (dueMs <= nowMs) actions.push({ kind: "start", container: name, attempt: known.attempt });
    else againMs = Math.min(againMs ?? dueMs, dueMs);
  }
  return planned(actions, againMs, nowMs);
}

/** Those that should run, whether they do or not. */
function dueContainers(pod: Pod, facts: PodFacts): readonly Container[] {
  const inits = initsOf(pod);
  const initialization = initializationOf(pod, facts);
  if (initialization.kind === "failed") return [];
  if (initialization.kind === "at") {
    const { at } = initialization;
    return inits.filter((container, place) => place === at || (place < at && isSidecar(container)));
  }
  const mains = mainsOf(pod).filter((container) => {
    const known = factsOf(facts, container.name);
    const end = findEnd(known);
    return !hasRun(known) || (end && restartsAfter(pod, container, exitCodeOf(end)));
  });
  return inits.length === 0 ? mains : [...inits.filter(isSidecar), ...mains];
}
