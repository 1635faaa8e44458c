/** Tables of the actions planned for a pod, as text: "stop c in 30: deleted; again in 30". */
import { expect, test } from "vitest";
import type { PodFacts } from "../../src/agent/pod/facts.ts";
import { type PodAction, type PodPlan, planPod } from "../../src/agent/pod/plan.ts";
import { at, type BoundPodFields, boundPod } from "./pod-facts.ts";

export type PlanRow = [
  what: string,
  pod: BoundPodFields,
  facts: PodFacts,
  seconds: number,
  plan: string,
];

export function testPlans(rows: readonly PlanRow[]): void {
  test.each(rows)("%s", (_what, fields, facts, seconds, plan) => {
    expect(describePlan(planPod(boundPod(fields), facts, at(seconds)))).toBe(plan);
  });
}

export function describePlan({ actions, againInMs }: PodPlan): string {
  const again = againInMs === undefined ? [] : [`again in ${againInMs / 1000}`];
  return [...actions.map(describeAction), ...again].join("; ");
}

function describeAction(action: PodAction): string {
  switch (action.kind) {
    case "start":
      return `start ${action.container}/${action.attempt}`;
    case "postStart":
      return `postStart ${action.container}`;
    case "preStop":
    case "stop": {
      const { kind, containers, graceSeconds, why } = action;
      return `${kind} ${containers.join(" ")} in ${graceSeconds}: ${why}`;
    }
    case "kill":
      return `kill ${action.containers.join(" ")}`;
    case "renew":
    case "remove":
      return action.kind;
  }
}
