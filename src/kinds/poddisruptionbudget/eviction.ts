/**
 * Pure: decides whether a pod may be evicted now, and how that changes the budget that protects it.
 * The caller must commit the new status of the budget, if there is one, before it deletes the pod.
 */
import { ApiError, forbidden } from "../../api/errors.ts";
import type { Pod } from "../../api/generated/core.ts";
import type { Condition } from "../../api/generated/meta.ts";
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from "../../api/generated/policy.ts";
import { isEmptySelector, matchesLabelSelector } from "../meta/label-selector.ts";

const CONDITION = "DisruptionAllowed";
const DISRUPTED_PODS_MAX = 2000;
const STALE_RETRY_SECONDS = 10;
const VIOLATED = "Cannot evict pod as it would violate the pod's disruption budget.";

export type EvictionDecision =
  | { readonly kind: "allowed" }
  | {
      readonly kind: "counted";
      readonly budget: PodDisruptionBudget;
      readonly status: PodDisruptionBudgetStatus;
    }
  | { readonly kind: "refused"; readonly error: ApiError };

/** `budgets` are those of the pod's namespace; `now` is in RFC 3339. */
export function decideEviction(
  pod: Pod,
  budgets: readonly PodDisruptionBudget[],
  now: string,
): EvictionDecision {
  if (isBeyondBudgets(pod)) return { kind: "allowed" };
  const covering = budgets.filter((budget) => covers(budget, pod));
  const [budget, second] = covering;
  if (budget === undefined) return { kind: "allowed" };
  if (second !== undefined) return { kind: "refused", error: severalBudgets() };
  if (!isReady(pod) && mayGoUnready(budget)) return { kind: "allowed" };
  const error = findRefusal(budget);
  if (error !== undefined) return { kind: "refused", error };
  return { kind: "counted", budget, status: countDisruption(budget, pod, now) };
}

/** Pods that do no work, or that are already being deleted, are not protected. */
function isBeyondBudgets({ metadata, status }: Pod): boolean {
  const idle = ["Succeeded", "Failed", "Pending"];
  return metadata.deletionTimestamp !== undefined || idle.includes(status.phase ?? "");
}

function covers({ spec }: PodDisruptionBudget, { metadata }: Pod): boolean {
  if (spec.selector === undefined) return false;
  if (isEmptySelector(spec.selector)) return true;
  return matchesLabelSelector(spec.selector, metadata.labels);
}

function isReady({ status }: Pod): boolean {
  return status.conditions?.find(({ type }) => type === "Ready")?.status === "True";
}

/** A pod that is not ready may be evicted if there are enough ready ones. */
function mayGoUnready({ spec, status }: PodDisruptionBudget): boolean {
  if (spec.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  return status.desiredHealthy > 0 && status.currentHealthy >= status.desiredHealthy;
}

function findRefusal({ metadata, status }: PodDisruptionBudget): ApiError | undefined {
  const { name = "", generation = 0 } = metadata;
  const { disruptionsAllowed, disruptedPods = {} } = status;
  const target = { group: "policy", resource: "poddisruptionbudget" };
  if ((status.observedGeneration ?? 0) < generation) {
    const message = `The disruption budget ${name} is still being processed by the server.`;
    return tooManyRequests(message, STALE_RETRY_SECONDS);
  }
  if (disruptionsAllowed < 0) {
    return forbidden(target, name, "pdb disruptions allowed is negative");
  }
  if (Object.keys(disruptedPods).length > DISRUPTED_PODS_MAX) {
    const problem =
      "DisruptedPods map too big - too many evictions not confirmed by PDB controller";
    return forbidden(target, name, problem);
  }
  return disruptionsAllowed === 0 ? tooManyRequests(exhausted(name, status)) : undefined;
}

function exhausted(name: string, status: PodDisruptionBudgetStatus): string {
  const condition = status.conditions?.find(({ type }) => type === CONDITION);
  if (condition?.status === "False" && condition.reason === "SyncFailed") {
    const rule = "does not allow evicting pods currently because it failed sync";
    return `The disruption budget ${name} ${rule}: ${condition.message}`;
  }
  const { desiredHealthy, currentHealthy } = status;
  return (
    `The disruption budget ${name} needs ${desiredHealthy} healthy pods ` +
    `and has ${currentHealthy} currently`
  );
}

function countDisruption(
  { status }: PodDisruptionBudget,
  pod: Pod,
  now: string,
): PodDisruptionBudgetStatus {
  const disruptionsAllowed = status.disruptionsAllowed - 1;
  const disruptedPods = { ...status.disruptedPods, [pod.metadata.name ?? ""]: now };
  const counted = { ...status, disruptedPods, disruptionsAllowed };
  if (disruptionsAllowed > 0) return counted;
  return { ...counted, conditions: withExhausted(status, now) };
}

function withExhausted(status: PodDisruptionBudgetStatus, now: string): readonly Condition[] {
  const { conditions = [], observedGeneration } = status;
  const old = conditions.find(({ type }) => type === CONDITION);
  const exhaustedNow: Condition = {
    type: CONDITION,
    status: "False",
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    lastTransitionTime: old?.status === "False" ? (old.lastTransitionTime ?? now) : now,
    reason: "InsufficientPods",
    message: "",
  };
  if (old === undefined) return [...conditions, exhaustedNow];
  return conditions.map((condition) => (condition === old ? exhaustedNow : condition));
}

function tooManyRequests(message: string, retryAfterSeconds?: number): ApiError {
  return new ApiError(429, "TooManyRequests", VIOLATED, {
    causes: [{ reason: "DisruptionBudget", message }],
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

function severalBudgets(): ApiError {
  const rule = "which the eviction subresource does not support.";
  return new ApiError(500, "", `This pod has more than one PodDisruptionBudget, ${rule}`);
}
