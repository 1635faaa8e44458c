/**
 * Pure: how many pods of a PodDisruptionBudget may be disrupted, from the actual and expected
 * numbers.
 */
import type { Pod } from "../../api/generated/core.ts";
import type { Condition } from "../../api/generated/meta.ts";
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from "../../api/generated/policy.ts";
import { formatTime, millisecondsOf } from "../../api/time.ts";

/**
 * A client that is granted an eviction deletes the pod at once. A pod that still exists after this
 * time was not evicted.
 */
export const EVICTION_MS = 120_000;

export interface Expectation {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
}

/** Undefined if the budget depends on the expected number of pods and that number is unknown. */
export function expectationOf(
  { spec }: PodDisruptionBudget,
  podCount: number,
  scale: number | undefined,
): Expectation | undefined {
  const { maxUnavailable, minAvailable } = spec;
  if (maxUnavailable !== undefined) {
    if (scale === undefined) return undefined;
    const desiredHealthy = Math.max(0, scale - scaled(maxUnavailable, scale));
    return { expectedPods: scale, desiredHealthy };
  }
  if (typeof minAvailable === "string") {
    if (scale === undefined) return undefined;
    return { expectedPods: scale, desiredHealthy: scaled(minAvailable, scale) };
  }
  return { expectedPods: podCount, desiredHealthy: minAvailable ?? 0 };
}

/** Percentages are rounded up. */
function scaled(amount: number | string, total: number): number {
  if (typeof amount === "number") return amount;
  return Math.ceil((Number.parseInt(amount, 10) * total) / 100);
}

export interface Counted {
  readonly status: PodDisruptionBudgetStatus;
  /** Pods whose eviction was granted but that were not deleted in time. */
  readonly overdue: readonly string[];
  /** When the next granted eviction becomes overdue. */
  readonly againInMs?: number;
}

export function composeStatus(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  { expectedPods, desiredHealthy }: Expectation,
  nowMs: number,
): Counted {
  const { disruptedPods = {} } = budget.status;
  const present = new Set(pods.map(({ metadata }) => metadata.name));
  const waiting = Object.entries(disruptedPods).filter(([name]) => present.has(name));
  const since = (time: string | null) => (time === null ? 0 : millisecondsOf(time));
  const kept = waiting.filter(([, time]) => since(time) + EVICTION_MS > nowMs);
  const going = new Set(kept.map(([name]) => name));
  const currentHealthy = pods.filter(
    (pod) => isReady(pod) && !isGoing(pod) && !going.has(pod.metadata.name ?? ""),
  ).length;
  const room = Math.max(0, currentHealthy - desiredHealthy);
  const disruptionsAllowed = expectedPods <= 0 ? 0 : room;
  const waits = kept.map(([, time]) => since(time) + EVICTION_MS - nowMs);
  return {
    status: {
      observedGeneration: budget.metadata.generation ?? 0,
      ...(kept.length > 0 ? { disruptedPods: Object.fromEntries(kept) } : {}),
      disruptionsAllowed,
      currentHealthy,
      desiredHealthy,
      expectedPods,
      conditions: conditionsOf(budget, allowance(disruptionsAllowed), nowMs),
    },
    overdue: waiting.filter(([name]) => !going.has(name)).map(([name]) => name),
    ...(waits.length > 0 ? { againInMs: Math.min(...waits) } : {}),
  };
}

/** If the expected number of pods is unknown, no disruption is allowed. */
export function failedStatus(
  budget: PodDisruptionBudget,
  problem: string,
  nowMs: number,
): PodDisruptionBudgetStatus {
  const state = { status: "False", reason: "SyncFailed", message: problem };
  return {
    ...budget.status,
    disruptionsAllowed: 0,
    conditions: conditionsOf(budget, state, nowMs),
  };
}

type State = Pick<Condition, "status" | "reason" | "message">;

function allowance(disruptionsAllowed: number): State {
  return disruptionsAllowed > 0
    ? { status: "True", reason: "SufficientPods", message: "" }
    : { status: "False", reason: "InsufficientPods", message: "" };
}

function conditionsOf(budget: PodDisruptionBudget, state: State, nowMs: number): Condition[] {
  const type = "DisruptionAllowed";
  const { conditions = [] } = budget.status;
  const before = conditions.find((each) => each.type === type);
  const isSame = before?.status === state.status;
  const condition: Condition = {
    type,
    ...state,
    observedGeneration: budget.metadata.generation ?? 0,
    lastTransitionTime: (isSame && before.lastTransitionTime) || formatTime(nowMs),
  };
  return [...conditions.filter((each) => each.type !== type), condition];
}

function isReady({ status }: Pod): boolean {
  return (status.conditions ?? []).some(
    ({ type, status: is }) => type === "Ready" && is === "True",
  );
}

function isGoing({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}
