/** Pure: computes the total resources of a pod's containers. */

import type { PodSpec } from "../../api/generated/core.ts";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  getQuantity,
  type Quantity,
} from "../../api/quantity.ts";
import { isSidecar } from "../../api/sidecar.ts";

/** Canonical quantities by the name of the resource. */
export type ResourceList = { readonly [resource: string]: string };

type Amounts = Map<string, Quantity>;

/**
 * The total that the containers of a pod need: the regular ones and the sidecars together, or,
 * during initialization, one init container with the sidecars started before it.
 */
export function aggregateResources(spec: PodSpec, of: "requests" | "limits"): ResourceList {
  const total: Amounts = new Map();
  for (const container of spec.containers ?? []) add(total, container.resources[of]);
  const running: Amounts = new Map();
  const initializing: Amounts = new Map();
  for (const container of spec.initContainers ?? []) {
    const list = container.resources[of];
    if (isSidecar(container)) {
      add(total, list);
      add(running, list);
      raise(initializing, running);
    } else {
      const alone = new Map(running);
      add(alone, list);
      raise(initializing, alone);
    }
  }
  raise(total, initializing);
  return Object.fromEntries([...total].map(([name, amount]) => [name, formatQuantity(amount)]));
}

export function compareAmounts(left: string, right: string): -1 | 0 | 1 {
  return compareQuantities(getQuantity(left), getQuantity(right));
}

function add(into: Amounts, list: ResourceList = {}): void {
  for (const [name, text] of Object.entries(list)) {
    const amount = getQuantity(text);
    const before = into.get(name);
    into.set(name, before === undefined ? amount : addQuantities(before, amount));
  }
}

function raise(into: Amounts, other: Amounts): void {
  for (const [name, amount] of other) {
    const before = into.get(name);
    if (before === undefined || compareQuantities(amount, before) > 0) into.set(name, amount);
  }
}
