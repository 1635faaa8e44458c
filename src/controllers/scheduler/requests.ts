/** Pure: the resources that a pod uses at its peak, as plain numbers. */
import type { Container, PodSpec } from "../../api/generated/core.ts";
import { getQuantity, milliUnits, wholeUnits } from "../../api/quantity.ts";

/**
 * CPU in thousandths, everything else in whole units. Resources that are not requested are absent.
 */
export type Requests = readonly (readonly [resource: string, amount: number])[];

type Amounts = Map<string, number>;
type ResourceList = { readonly [resource: string]: string };

/**
 * The maximum of two sums: all regular containers and sidecars together, and, during
 * initialization, one init container with the sidecars started before it. The overhead of the
 * runtime is added. Requests of the pod as a whole replace those of its containers.
 */
export function effectiveRequests(spec: PodSpec): Requests {
  const total: Amounts = new Map();
  for (const container of spec.containers ?? []) add(total, container.resources.requests);
  raise(total, initialize(spec.initContainers ?? [], total));
  for (const [resource, amount] of Object.entries(spec.resources?.requests ?? {})) {
    total.set(resource, amountOf(resource, amount));
  }
  add(total, spec.overhead);
  return [...total].filter(([, amount]) => amount > 0);
}

export function amountOf(resource: string, text: string): number {
  const quantity = getQuantity(text);
  return Number(resource === "cpu" ? milliUnits(quantity) : wholeUnits(quantity));
}

/** The peak before the regular containers run. Also adds the sidecars to the total. */
function initialize(containers: readonly Container[], total: Amounts): Amounts {
  const sidecars: Amounts = new Map();
  const peak: Amounts = new Map();
  for (const { resources, restartPolicy } of containers) {
    const running = new Map(sidecars);
    add(running, resources.requests);
    raise(peak, running);
    if (restartPolicy !== "Always") continue;
    add(sidecars, resources.requests);
    add(total, resources.requests);
  }
  return peak;
}

function add(into: Amounts, list: ResourceList = {}): void {
  for (const [resource, text] of Object.entries(list)) {
    into.set(resource, (into.get(resource) ?? 0) + amountOf(resource, text));
  }
}

function raise(into: Amounts, other: Amounts): void {
  for (const [resource, amount] of other) {
    if (amount > (into.get(resource) ?? 0)) into.set(resource, amount);
  }
}
