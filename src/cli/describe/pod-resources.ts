/** Pure: what a pod as a whole asks of its node, and how much it may take. */

import type { Pod, ResourceRequirements } from "../../api/generated/core.ts";
import {
  addQuantities,
  compareQuantities,
  getQuantity,
  type Quantity,
} from "../../api/quantity.ts";
import { isSidecar } from "../../api/sidecar.ts";

export type Amounts = ReadonlyMap<string, Quantity>;

/**
 * The sum of its containers and sidecars; or, where an init container needs more while it runs,
 * that; and the overhead. What is said for the pod itself counts in place of all this.
 */
export function podRequests(pod: Pod): Amounts {
  return addAmounts(ofContainers(pod, "requests"), amountsOf(pod.spec.overhead));
}

/** The overhead counts only where there is a limit. */
export function podLimits(pod: Pod): Amounts {
  const limits = ofContainers(pod, "limits");
  const overhead = [...amountsOf(pod.spec.overhead)].filter(([name]) => limits.has(name));
  return addAmounts(limits, new Map(overhead));
}

function ofContainers({ spec }: Pod, which: "requests" | "limits"): Amounts {
  let sum: Amounts = new Map();
  for (const { resources } of spec.containers ?? []) {
    sum = addAmounts(sum, amountsOf(resources?.[which]));
  }
  let sidecars: Amounts = new Map();
  let greatestInit: Amounts = new Map();
  for (const container of spec.initContainers ?? []) {
    const own = amountsOf(container.resources?.[which]);
    const beside = isSidecar(container);
    if (beside) sum = addAmounts(sum, own);
    if (beside) sidecars = addAmounts(sidecars, own);
    greatestInit = greatest(greatestInit, beside ? sidecars : addAmounts(sidecars, own));
  }
  return new Map([...greatest(sum, greatestInit), ...amountsOf(spec.resources?.[which])]);
}

function amountsOf(amounts: ResourceRequirements["limits"]): Amounts {
  return new Map(
    Object.entries(amounts ?? {}).map(([name, amount]) => [name, getQuantity(amount)]),
  );
}

export function addAmounts(one: Amounts, other: Amounts): Amounts {
  const sum = new Map(one);
  for (const [name, amount] of other) {
    const before = sum.get(name);
    sum.set(name, before ? addQuantities(before, amount) : amount);
  }
  return sum;
}

function greatest(one: Amounts, other: Amounts): Amounts {
  const all = new Map(one);
  for (const [name, amount] of other) {
    const before = all.get(name);
    if (!before || compareQuantities(amount, before) > 0) all.set(name, amount);
  }
  return all;
}
