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
  type ContainerFacts,
  ephemeralsOf,
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
  /** The hook of a run that has just begun. */
  | { readonly kind: "postStart"; readonly container: string }
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
  for (const { name, lifecycle } of dueContainers(pod, facts)) {
    const known = factsOf(facts, name);
    const { dueMs } = restartDelay(known);
    const isIdle = !isAlive(known) && known.waiting === undefined;
    if (isIdle && dueMs <= nowMs) {
      actions.push({ kind: "start", container: name, attempt: known.attempt });
    } else if (isIdle) {
      againMs = Math.min(againMs ?? dueMs, dueMs);
      continue;
    }
    // Those behind it wait until the hook of one that begins is through.
    const isBeginning = isIdle || known.isStarting || isInPostStart(known);
    if (lifecycle?.postStart !== undefined && isBeginning) break;
  }
  const hooks = planHooks(pod, facts, nowMs);
  const health = planRecovery(pod, facts, nowMs);
  actions.push(...hooks.actions, ...health.actions);
  return planned(actions, earlier(earlier(againMs, hooks.againMs), health.againMs), nowMs);
}

function planHooks(pod: Pod, facts: PodFacts, nowMs: number): HookPlan {
  if (!hasPostStarts(facts)) return NO_HOOKS;
  const due = Object.entries(facts.containers).filter(([, { postStart }]) => postStart === "due");
  const { actions, againMs } = planTermination(pod, facts, nowMs, {
    why: "postStart",
    graceSeconds: graceOf(pod),
  });
  const begins = due.map(([container]) => ({ kind: "postStart" as const, container }));
  return { actions: [...begins, ...actions], againMs };
}

/** Containers that a probe found unhealthy are ended, each in its own time. */
function planRecovery(pod: Pod, facts: PodFacts, nowMs: number): HookPlan {
  if (!hasUnhealthy(facts)) return NO_HOOKS;
  const actions: PodAction[] = [];
  let againMs: number | undefined;
  for (const { name, livenessProbe, startupProbe } of [...initsOf(pod), ...mainsOf(pod)]) {
    const { unhealthy } = factsOf(facts, name);
    if (unhealthy === undefined) continue;
    const probe = unhealthy === "liveness" ? livenessProbe : startupProbe;
    const graceSeconds = probe?.terminationGracePeriodSeconds ?? graceOf(pod);
    const order: StopOrder = { why: "unhealthy", graceSeconds, only: name };
    const stop = planTermination(pod, facts, nowMs, order);
    actions.push(...stop.actions);
    againMs = earlier(againMs, stop.againMs);
  }
  return { actions, againMs };
}

function hasUnhealthy({ containers }: PodFacts): boolean {
  for (const name in containers) if (containers[name]?.unhealthy !== undefined) return true;
  return false;
}

interface HookPlan {
  readonly actions: readonly PodAction[];
  readonly againMs: number | undefined;
}

const NO_HOOKS: HookPlan = { actions: [], againMs: undefined };

function hasPostStarts({ containers }: PodFacts): boolean {
  for (const name in containers) if (containers[name]?.postStart !== undefined) return true;
  return false;
}

function isInPostStart({ postStart }: ContainerFacts): boolean {
  return postStart === "due" || postStart === "running";
}

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
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
    if (!hasRun(known) || known.postStart !== undefined) return true;
    return end !== undefined && restartsAfter(pod, container, exitCodeOf(end), known);
  });
  const ephemerals = ephemeralsOf(pod).filter(({ name }) => !hasRun(factsOf(facts, name)));
  if (inits.length === 0 && ephemerals.length === 0) return mains;
  return [...ephemerals, ...inits.filter(isSidecar), ...mains];
}
