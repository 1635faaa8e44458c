/**
 * Pure: how the processes of a pod are ended: who is next, and when asking is over.
 *
 * 1. preStop hooks begin at once, all together, and are part of the grace.
 * 2. Then the stop signal: app containers at once, sidecars one by one, the last first, when
 *    whatever they serve is gone. With the grace over nobody waits for a hook or a turn.
 * 3. SIGKILL when the grace is over, and never less than two seconds after the signal.
 */
import type { Container, Pod } from "../../api/generated/core.ts";
import { isSidecar } from "../../api/sidecar.ts";
import type { Ending } from "./endings.ts";
import {
  type ContainerFacts,
  ephemeralsOf,
  factsOf,
  initsOf,
  isAlive,
  mainsOf,
  type PodFacts,
} from "./facts.ts";

export interface StopOrder {
  /**
   * "sidecar": the app containers are through. "restartAll": without a preStop hook. "postStart":
   * only those whose hook failed, while the pod goes on. "unhealthy": a probe failed.
   */
  readonly why: Ending["why"] | "sidecar" | "restartAll" | "postStart" | "unhealthy";
  readonly graceSeconds: number;
  /** This container alone. */
  readonly only?: string;
}

export interface StopAction {
  /** The hook that comes before the stop signal, or the signal itself. */
  readonly kind: "preStop" | "stop";
  readonly containers: readonly string[];
  readonly graceSeconds: number;
  readonly why: StopOrder["why"];
}

export type TerminationAction =
  | StopAction
  | { readonly kind: "kill"; readonly containers: readonly string[] };

export interface Termination {
  readonly actions: readonly TerminationAction[];
  /** When there is more to do if nothing happens before. */
  readonly againMs?: number;
}

/** Nobody gets less, however little was granted and whatever its preStop hook used up. */
export const MIN_GRACE_SECONDS = 2;
const MIN_GRACE_MS = MIN_GRACE_SECONDS * 1000;
/** SIGKILL reaches what was there when it was sent: what forked meanwhile needs another. */
const KILL_AGAIN_MS = 5_000;

export function planTermination(
  pod: Pod,
  facts: PodFacts,
  nowMs: number,
  { why, graceSeconds, only }: StopOrder,
): Termination {
  const isAlone = why === "postStart" || why === "unhealthy";
  const turns = why === "restartAll" || isAlone ? undefined : nextToStop(pod, facts);
  const steps = { preStop: [] as string[], stop: [] as string[], kill: [] as string[] };
  let againMs = Number.POSITIVE_INFINITY;
  let longestMs = 0;
  for (const container of everyContainer(pod)) {
    const known = factsOf(facts, container.name);
    // What is being started is stopped when it is there.
    if (known.running === undefined) continue;
    if (why === "postStart" && known.postStart !== "failed") continue;
    if (only !== undefined && container.name !== only) continue;
    const sinceMs = findSinceMs(facts, known, why) ?? nowMs;
    const step = nextStep(known, nowMs, {
      graceEndMs: sinceMs + Math.max(MIN_GRACE_SECONDS, graceSeconds) * 1000,
      isTurn: turns?.includes(container) ?? true,
      hasHook: graceSeconds > 0 && why !== "restartAll" && hasPreStop(container),
    });
    if (step.kind !== "wait") steps[step.kind].push(container.name);
    againMs = Math.min(againMs, step.againMs);
    longestMs = Math.max(longestMs, sinceMs + graceSeconds * 1000 - nowMs);
  }
  const seconds = Math.max(MIN_GRACE_SECONDS, Math.ceil(longestMs / 1000));
  return {
    actions: composeActions(steps, { why, graceSeconds: seconds }),
    ...(againMs === Number.POSITIVE_INFINITY ? {} : { againMs }),
  };
}

/** One that was asked to end before its pod was has no need to be asked again. */
function findSinceMs(
  facts: PodFacts,
  known: ContainerFacts,
  why: StopOrder["why"],
): number | undefined {
  if (why === "postStart" || why === "unhealthy") return known.stoppingSinceMs;
  return facts.stoppingSinceMs ?? known.stoppingSinceMs;
}

interface Step {
  readonly kind: "preStop" | "stop" | "kill" | "wait";
  readonly againMs: number;
}

interface Circumstances {
  readonly graceEndMs: number;
  readonly isTurn: boolean;
  readonly hasHook: boolean;
}

function nextStep(
  { stoppingSinceMs, preStop, signalledMs, killedMs }: ContainerFacts,
  nowMs: number,
  { graceEndMs, isTurn, hasHook }: Circumstances,
): Step {
  if (signalledMs !== undefined) {
    const dueMs =
      killedMs === undefined
        ? Math.max(graceEndMs, signalledMs + MIN_GRACE_MS)
        : killedMs + KILL_AGAIN_MS;
    if (dueMs > nowMs) return { kind: "wait", againMs: dueMs };
    return { kind: "kill", againMs: nowMs + KILL_AGAIN_MS };
  }
  if (nowMs < graceEndMs) {
    const isHookDue = hasHook && stoppingSinceMs === undefined;
    if (isHookDue) return { kind: "preStop", againMs: graceEndMs };
    if (preStop === "running" || !isTurn) return { kind: "wait", againMs: graceEndMs };
  }
  return { kind: "stop", againMs: Math.max(graceEndMs, nowMs + MIN_GRACE_MS) };
}

function composeActions(
  steps: { readonly [Kind in TerminationAction["kind"]]: readonly string[] },
  order: StopOrder,
): readonly TerminationAction[] {
  const { preStop, stop, kill } = steps;
  const actions: TerminationAction[] = [];
  if (preStop.length > 0) actions.push({ kind: "preStop", containers: preStop, ...order });
  if (stop.length > 0) actions.push({ kind: "stop", containers: stop, ...order });
  if (kill.length > 0) actions.push({ kind: "kill", containers: kill });
  return actions;
}

function hasPreStop({ lifecycle }: Container): boolean {
  return lifecycle?.preStop !== undefined;
}

function everyContainer(pod: Pod): readonly Container[] {
  const inits = initsOf(pod);
  const ephemerals = ephemeralsOf(pod);
  if (inits.length === 0 && ephemerals.length === 0) return mainsOf(pod);
  return [...inits, ...mainsOf(pod), ...ephemerals];
}

/** All but sidecars at once; these one by one, the last first, when whatever they serve is gone. */
function nextToStop(pod: Pod, facts: PodFacts): readonly Container[] {
  const inits = initsOf(pod);
  if (inits.length === 0) return everyContainer(pod);
  const alive = everyContainer(pod).filter(({ name }) => isAlive(factsOf(facts, name)));
  const sidecars = alive.filter((each) => isSidecar(each) && inits.includes(each));
  if (sidecars.length < alive.length) return alive.filter((each) => !sidecars.includes(each));
  return sidecars.slice(-1);
}
