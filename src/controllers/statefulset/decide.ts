/**
 * Pure: decides the next steps for the pods of a StatefulSet. An ordered set takes one step and
 * waits for its result; a parallel set takes all scaling steps at once. Old pods are replaced by
 * updated ones only when the number of pods is right.
 */
import type { StatefulSet } from "../../api/generated/apps.ts";
import type { Pod } from "../../api/generated/core.ts";
import { isInRange, ordinalIn, replicasOf, revisionOf, startOf } from "./identity.ts";
import {
  isHealthy,
  isOver,
  isPending,
  isTerminating,
  untilAvailableMs,
  untilReplacedMs,
} from "./pod-state.ts";

export type Action =
  | { readonly kind: "create"; readonly ordinal: number; readonly isUpdated: boolean }
  | { readonly kind: "delete"; readonly pod: Pod }
  /** Creates its missing claims. */
  | { readonly kind: "provide"; readonly pod: Pod }
  /** Corrects its labels, its volumes and the owners of its claims. */
  | { readonly kind: "keep"; readonly pod: Pod };

export interface Decision {
  readonly actions: readonly Action[];
  /** When a pod will have been ready long enough, or when a finished pod may be replaced. */
  readonly againInMs?: number;
}

export interface Observation {
  readonly set: StatefulSet;
  /** All pods that belong to the set. */
  readonly pods: readonly Pod[];
  readonly updateRevision: string;
  readonly nowMs: number;
}

export function decide(observation: Observation): Decision {
  const { set } = observation;
  if (set.metadata.deletionTimestamp !== undefined) return { actions: [] };
  const places = placesOf(observation);
  const isOrdered = set.spec.podManagementPolicy !== "Parallel";
  const grown = grow(observation, places, isOrdered);
  if (grown.mustWait) return withDelay(observation, grown.actions);
  const shrunk = shrink(observation, places, isOrdered);
  const actions = [...grown.actions, ...shrunk.actions];
  if (shrunk.mustWait) return withDelay(observation, actions);
  return withDelay(observation, [...actions, ...replace(observation, places)]);
}

interface Places {
  /** By position (ordinal minus start); undefined if the pod is missing. */
  readonly wanted: readonly (Pod | undefined)[];
  /** Highest ordinal first. */
  readonly condemned: readonly Pod[];
}

function placesOf({ set, pods }: Observation): Places {
  const wanted = new Array<Pod | undefined>(replicasOf(set)).fill(undefined);
  const condemned: Pod[] = [];
  for (const pod of pods) {
    const ordinal = ordinalIn(set, pod);
    if (ordinal === undefined) continue;
    if (isInRange(set, ordinal)) wanted[ordinal - startOf(set)] = pod;
    else condemned.push(pod);
  }
  condemned.sort((one, other) => (ordinalIn(set, other) ?? 0) - (ordinalIn(set, one) ?? 0));
  return { wanted, condemned };
}

interface Progress {
  readonly actions: readonly Action[];
  /** No further step is allowed until the current one has had its effect. */
  readonly mustWait: boolean;
}

function grow(observation: Observation, { wanted }: Places, isOrdered: boolean): Progress {
  const { set, nowMs } = observation;
  const actions: Action[] = [];
  for (const [place, pod] of wanted.entries()) {
    if (pod === undefined) {
      const ordinal = place + startOf(set);
      actions.push({ kind: "create", ordinal, isUpdated: isMadeNew(set, place) });
      if (isOrdered) return { actions, mustWait: true };
      continue;
    }
    if (isOver(pod)) {
      // Its name stays in use until it is gone.
      const isDue = untilReplacedMs(pod, nowMs) === 0;
      if (isDue && !isTerminating(pod)) actions.push({ kind: "delete", pod });
      if (isOrdered) return { actions, mustWait: true };
      continue;
    }
    if (isPending(pod)) actions.push({ kind: "provide", pod });
    const isAvailable = untilAvailableMs(pod, set.spec.minReadySeconds ?? 0, nowMs) === 0;
    if (isOrdered && (isTerminating(pod) || !isAvailable)) return { actions, mustWait: true };
    actions.push({ kind: "keep", pod });
  }
  return { actions, mustWait: false };
}

/** A pod below the partition is recreated with the current revision, not the updated one. */
function isMadeNew({ spec, status }: StatefulSet, place: number): boolean {
  const { type, rollingUpdate } = spec.updateStrategy;
  if (type !== "RollingUpdate") return true;
  if (rollingUpdate === undefined) return place >= (status.currentReplicas ?? 0);
  return place >= (rollingUpdate.partition ?? 0);
}

function shrink(
  { set, nowMs }: Observation,
  { wanted, condemned }: Places,
  isOrdered: boolean,
): Progress {
  const actions: Action[] = condemned.map((pod) => ({ kind: "keep", pod }));
  const unhealthy = firstUnhealthy(set, [...wanted, ...condemned]);
  for (const pod of condemned) {
    if (isTerminating(pod)) {
      if (isOrdered) return { actions, mustWait: true };
      continue;
    }
    const isAvailable = untilAvailableMs(pod, set.spec.minReadySeconds ?? 0, nowMs) === 0;
    if (isOrdered && !isAvailable && pod !== unhealthy) return { actions, mustWait: true };
    actions.push({ kind: "delete", pod });
    if (isOrdered) return { actions, mustWait: true };
  }
  return { actions, mustWait: false };
}

function firstUnhealthy(set: StatefulSet, pods: readonly (Pod | undefined)[]): Pod | undefined {
  const sick = pods.filter((pod) => pod !== undefined && !isHealthy(pod)) as Pod[];
  return sick.sort((one, other) => (ordinalIn(set, one) ?? 0) - (ordinalIn(set, other) ?? 0))[0];
}

/** From the highest position down to the partition. */
function replace(observation: Observation, { wanted }: Places): readonly Action[] {
  const { type, rollingUpdate } = observation.set.spec.updateStrategy;
  if (type === "OnDelete") return [];
  const open = wanted.slice(rollingUpdate?.partition ?? 0).reverse();
  return rollingUpdate?.maxUnavailable === undefined
    ? replaceNext(observation, open)
    : replaceSeveral(observation, open, rollingUpdate.maxUnavailable);
}

/** Replaces one pod, if all pods above it are available. */
function replaceNext(
  { set, updateRevision, nowMs }: Observation,
  open: readonly (Pod | undefined)[],
): readonly Action[] {
  for (const pod of open) {
    if (pod === undefined || isTerminating(pod)) return [];
    if (revisionOf(pod) !== updateRevision) return [{ kind: "delete", pod }];
    if (untilAvailableMs(pod, set.spec.minReadySeconds ?? 0, nowMs) > 0) return [];
  }
  return [];
}

/**
 * Replaces as many pods as may be unavailable at once. A pod that is already unavailable does not
 * count.
 */
function replaceSeveral(
  { set, updateRevision, nowMs }: Observation,
  open: readonly (Pod | undefined)[],
  maxUnavailable: number | string,
): readonly Action[] {
  const minReady = set.spec.minReadySeconds ?? 0;
  const isOut = (pod: Pod | undefined) =>
    pod === undefined || isTerminating(pod) || untilAvailableMs(pod, minReady, nowMs) > 0;
  let room = roomOf(maxUnavailable, replicasOf(set)) - open.filter(isOut).length;
  const actions: Action[] = [];
  for (const pod of open) {
    if (pod === undefined || isTerminating(pod) || revisionOf(pod) === updateRevision) continue;
    if (!isOut(pod) && room-- <= 0) break;
    actions.push({ kind: "delete", pod });
  }
  return actions;
}

function roomOf(maxUnavailable: number | string, replicas: number): number {
  if (typeof maxUnavailable === "number") return Math.max(1, maxUnavailable);
  const share = Number.parseInt(maxUnavailable, 10) / 100;
  return Math.max(1, Math.floor(share * replicas));
}

function withDelay({ set, pods, nowMs }: Observation, actions: readonly Action[]): Decision {
  const minReady = set.spec.minReadySeconds ?? 0;
  const delays = pods.map((pod) =>
    isOver(pod) && !isTerminating(pod)
      ? untilReplacedMs(pod, nowMs)
      : untilAvailableMs(pod, minReady, nowMs),
  );
  const soonest = Math.min(...delays.filter((delayMs) => delayMs > 0));
  return Number.isFinite(soonest) ? { actions, againInMs: soonest } : { actions };
}
