/**
 * Reads the caches for a Service, and finds the Services that a change of a pod or node affects.
 */

import { isEqual } from "../../api/equal.ts";
import type { Node, Pod, Service } from "../../api/generated/core.ts";
import type { EndpointSlice } from "../../api/generated/discovery.ts";
import type { Cache, CacheChange } from "../../client/cache.ts";
import { SERVICE_NAME } from "./labels.ts";
import { isReachable, isReady, isSelected, isTerminating, selectorOf } from "./members.ts";

export interface Caches {
  readonly services: Cache<Service>;
  readonly pods: Cache<Pod>;
  readonly nodes: Cache<Node>;
  readonly slices: Cache<EndpointSlice>;
}

/** Index of slices by the Service in their label. */
export const BY_SERVICE = "service";

export function servicesOfSlice({ metadata }: EndpointSlice): readonly string[] {
  const name = metadata.labels?.[SERVICE_NAME];
  return name === undefined ? [] : [`${metadata.namespace ?? ""}/${name}`];
}

export function selectedPods({ pods }: Caches, service: Service): readonly Pod[] {
  const selector = selectorOf(service);
  if (!selector) return [];
  const all = pods.list(service.metadata.namespace ?? "");
  return all.filter((pod) => isSelected(pod, selector));
}

/** The keys of the Services whose endpoints the change affects. */
export function concernedBy(caches: Caches, change: CacheChange<Pod>): readonly string[] {
  const { object, previous } = change;
  const all = caches.services.list(object.metadata.namespace ?? "");
  if (all.length === 0) return [];
  const isModified = change.type === "MODIFIED" && previous !== undefined;
  if (isModified && looksOf(object) === looksOf(previous) && hasSameLabels(object, previous)) {
    return [];
  }
  const states = isModified ? [object, previous] : [object];
  return all.filter((service) => isChosen(service, states)).map(keyOf);
}

function isChosen(service: Service, states: readonly Pod[]): boolean {
  const selector = selectorOf(service);
  return selector !== undefined && states.some((pod) => isSelected(pod, selector));
}

/** Everything that endpoints show of a pod, except its labels. */
function looksOf(pod: Pod): string {
  const { spec, status } = pod;
  const seen = [isReachable(pod), isReady(pod), isTerminating(pod), spec.nodeName, status.podIP];
  return [...seen, ...(status.podIPs ?? []).map(({ ip }) => ip)].join(" ");
}

function hasSameLabels(one: Pod, other: Pod): boolean {
  return isEqual(one.metadata.labels ?? {}, other.metadata.labels ?? {});
}

export function keyOf({ metadata }: Service): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}
