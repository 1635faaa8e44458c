import { expect, test } from "vitest";
import type { Pod } from "../../api/generated/core.ts";
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from "../../api/generated/policy.ts";
import { decideEviction } from "./eviction.ts";

const NOW = "2024-01-01T00:00:00Z";

function pod(status: Pod["status"] = {}): Pod {
  const ready = { type: "Ready", status: "True", lastProbeTime: null, lastTransitionTime: null };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", labels: { app: "x" } },
    spec: { containers: [] },
    status: { phase: "Running", conditions: [ready], ...status },
  };
}

function budget(
  status: Partial<PodDisruptionBudgetStatus>,
  spec: PodDisruptionBudget["spec"] = {},
): PodDisruptionBudget {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "b", generation: 1 },
    spec: { selector: { matchLabels: { app: "x" } }, minAvailable: 1, ...spec },
    status: {
      observedGeneration: 1,
      disruptionsAllowed: 0,
      currentHealthy: 1,
      desiredHealthy: 1,
      expectedPods: 1,
      ...status,
    },
  };
}

function outcome(of: Pod, budgets: readonly PodDisruptionBudget[]): string {
  const decision = decideEviction(of, budgets, NOW);
  if (decision.kind !== "refused") return decision.kind;
  const { code, status } = decision.error;
  return `${code} ${status.details?.causes?.[0]?.message ?? decision.error.message}`;
}

const unready = pod({ conditions: [] });

test.each<[string, Pod, readonly PodDisruptionBudget[], string]>([
  ["no budget", pod(), [], "allowed"],
  [
    "a budget for other pods",
    pod(),
    [budget({}, { selector: { matchLabels: { a: "b" } } })],
    "allowed",
  ],
  [
    "an exhausted budget",
    pod(),
    [budget({})],
    "429 The disruption budget b needs 1 healthy pods and has 1 currently",
  ],
  [
    "a budget that its controller has not seen yet",
    pod(),
    [budget({ observedGeneration: 0, disruptionsAllowed: 5 })],
    "429 The disruption budget b is still being processed by the server.",
  ],
  [
    "two budgets",
    pod(),
    [budget({ disruptionsAllowed: 1 }), budget({ disruptionsAllowed: 1 })],
    "500 This pod has more than one PodDisruptionBudget, which the eviction subresource does " +
      "not support.",
  ],
  ["a budget with room", pod(), [budget({ disruptionsAllowed: 1 })], "counted"],
  [
    "an exhausted budget for all pods",
    pod(),
    [budget({}, { selector: {} })],
    "429 The disruption budget b needs 1 healthy pods and has 1 currently",
  ],
  ["a pod that has not started", pod({ phase: "Pending" }), [budget({})], "allowed"],
  ["a pod that is done", pod({ phase: "Succeeded" }), [budget({})], "allowed"],
  ["an unready pod of a healthy set", unready, [budget({})], "allowed"],
  [
    "an unready pod of an unhealthy set",
    unready,
    [budget({ currentHealthy: 0 })],
    "429 The disruption budget b needs 1 healthy pods and has 0 currently",
  ],
  [
    "an unready pod with policy AlwaysAllow",
    unready,
    [budget({ currentHealthy: 0 }, { unhealthyPodEvictionPolicy: "AlwaysAllow" })],
    "allowed",
  ],
])("%s", (_, of, budgets, expected) => {
  expect(outcome(of, budgets)).toBe(expected);
});

test("an eviction is recorded in the budget, and the last one exhausts it", () => {
  const counted = (allowed: number) => {
    const decision = decideEviction(pod(), [budget({ disruptionsAllowed: allowed })], NOW);
    return decision.kind === "counted" ? decision.status : undefined;
  };
  expect(counted(2)).toMatchObject({ disruptionsAllowed: 1, disruptedPods: { p: NOW } });
  expect(counted(2)).not.toHaveProperty("conditions");
  expect(counted(1)?.conditions).toEqual([
    {
      type: "DisruptionAllowed",
      status: "False",
      observedGeneration: 1,
      lastTransitionTime: NOW,
      reason: "InsufficientPods",
      message: "",
    },
  ]);
});
