/** Pure: how the processes of a pod are ended: who is next, and when asking is over. */

import type { Container, Pod } from "../../api/generated/core.ts";
import { isSidecar } from "../../api/sidecar.ts";
import type { Ending } from "./endings.ts";
import { type ContainerFacts, factsOf, initsOf, isAlive, mainsOf, type PodFacts } from "./facts.ts";

export interface StopOrder {
  /** "sidecar": the app containers are through. "restartAll": without a preStop hook. */
  readonly why: Ending["why"] | "sidecar" | "restartAll";
  readonly graceSeconds: number;
}

export type TerminationAction =
  /** The preStop hook within the grace, then the stop signal. */
  | {
      readonly kind: "stop";
      readonly containers: readonly string[];
      readonly graceSeconds: number;
      readonly why: StopOrder["why"];
    }
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
  { why, graceSeconds }: StopOrder,
): Termination {
  const sinceMs = facts.stoppingSinceMs ?? nowMs;
  const graceEndMs = sinceMs + Math.max(MIN_GRACE_SECONDS, graceSeconds) * 1000;
  const stop: string[] = [];
  const kill: string[] = [];
  let againMs = Number.POSITIVE_INFINITY;
  for (const container of why === "restartAll" ? everyContainer(pod) : nextToStop(pod, facts)) {
    const known = factsOf(facts, container.name);
    // What is being started is stopped when it is there.
    if (known.running === undefined) continue;
    if (known.stoppingSinceMs === undefined) {
      stop.push(container.name);
      againMs = Math.min(againMs, Math.max(graceEndMs, nowMs + MIN_GRACE_MS));
      continue;
    }
    const dueMs = killDueMs(container, known, { graceEndMs, hasHook: why !== "restartAll" });
    if (dueMs <= nowMs) kill.push(container.name);
    againMs = Math.min(againMs, dueMs <= nowMs ? nowMs + KILL_AGAIN_MS : dueMs);
  }
  const seconds = Math.max(MIN_GRACE_SECONDS, Math.ceil((graceEndMs - nowMs) / 1000));
  return {
    actions: [
      ...(stop.length === 0
        ? []
        : [{ kind: "stop" as const, containers: stop, graceSeconds: seconds, why }]),
      ...(kill.length === 0 ? [] : [{ kind: "kill" as const, containers: kill }]),
    ],
    ...(againMs === Number.POSITIVE_INFINITY ? {} : { againMs }),
  };
}

function killDueMs(
  { lifecycle }: Container,
  { stoppingSinceMs = 0, signalledMs, killedMs }: ContainerFacts,
  { graceEndMs, hasHook }: { readonly graceEndMs: number; readonly hasHook: boolean },
): number {
  if (killedMs !== undefined) return killedMs + KILL_AGAIN_MS;
  // A hook may use up all of the grace; the signal that follows it still has its time.
  const isInHook = hasHook && lifecycle?.preStop !== undefined;
  const askedMs = signalledMs ?? (isInHook ? graceEndMs : stoppingSinceMs);
  return Math.max(graceEndMs, askedMs + MIN_GRACE_MS);
}

function everyContainer(pod: Pod): readonly Container[] {
  return [...initsOf(pod), ...mainsOf(pod)];
}

/** All but sidecars at once; these one by one, the last first, when whatever they serve is gone. */
function nextToStop(pod: Pod, facts: PodFacts): readonly Container[] {
  const inits = initsOf(pod);
  if (inits.length === 0) return mainsOf(pod);
  const alive = everyContainer(pod).filter(({ name }) => isAlive(factsOf(facts, name)));
  const sidecars = alive.filter((each) => isSidecar(each) && inits.includes(each));
  if (sidecars.length < alive.length) return alive.filter((each) => !sidecars.includes(each));
  return sidecars.slice(-1);
}
