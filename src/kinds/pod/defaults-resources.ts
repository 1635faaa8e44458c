/** Pure: derives missing resources of a pod from others. */
import type { PodSpec } from "../../api/generated/core.ts";
import type { Draft } from "../../api/object.ts";
import { isHugePages, isOvercommitAllowed, isPodLevelResource } from "./resource-names.ts";
import { aggregateResources } from "./resources.ts";

/** A container with limits but without requests gets its limits as requests. */
export function takeRequestsFromLimits(spec: Draft<PodSpec>): void {
  for (const { resources } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    const { limits, requests = {} } = resources;
    if (limits === undefined) continue;
    const isComplete = Object.keys(limits).every((name) => Object.hasOwn(requests, name));
    if (!isComplete) resources.requests = { ...limits, ...requests };
  }
}

/** If resources of the whole pod are specified, missing ones are derived from its containers. */
export function setPodResourceDefaults(spec: Draft<PodSpec>): void {
  const { resources } = spec;
  if (resources === undefined) return;
  if (resources.limits !== undefined || resources.requests !== undefined) {
    const limits = hugePageLimits(spec);
    if (Object.keys(limits).length > 0) resources.limits = { ...limits, ...resources.limits };
  }
  if (resources.limits === undefined) return;
  const requests = { ...resources.requests };
  for (const [name, amount] of Object.entries(aggregateResources(spec, "requests"))) {
    if (isPodLevelResource(name) && isOvercommitAllowed(name)) requests[name] ??= amount;
  }
  for (const [name, amount] of Object.entries(resources.limits)) {
    if (isPodLevelResource(name)) requests[name] ??= amount;
  }
  if (Object.keys(requests).length > 0) resources.requests = requests;
}

function hugePageLimits(spec: Draft<PodSpec>): { [resource: string]: string } {
  const asked = spec.resources?.requests ?? {};
  const limits = Object.entries(aggregateResources(spec, "limits"));
  return Object.fromEntries(
    limits.filter(([name]) => isHugePages(name) && asked[name] === undefined),
  );
}
