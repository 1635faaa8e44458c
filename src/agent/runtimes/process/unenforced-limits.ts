/** Pure: limits that a pod has and that nothing holds its processes to. */
import type { PodSpec } from "../../../api/generated/core.ts";
import { getQuantity, isZero } from "../../../api/quantity.ts";
import { containersOf, inContainer } from "./containers.ts";

export interface EnforcedLimits {
  readonly enforcesCpu: boolean;
  readonly enforcesMemory: boolean;
}

/** One phrase for each: 'container "main": memory 64Mi'. */
export function limitsNotEnforced(spec: PodSpec, enforced: EnforcedLimits): string[] {
  const ofContainers: readonly string[] = [
    ...(enforced.enforcesCpu ? [] : ["cpu"]),
    ...(enforced.enforcesMemory ? [] : ["memory"]),
    "ephemeral-storage",
  ];
  const phrases: string[] = [];
  for (const container of containersOf(spec)) {
    const { limits } = container.resources;
    if (limits === undefined) continue;
    for (const limit of limitsAmong(limits, ofContainers)) {
      phrases.push(inContainer(container, limit));
    }
  }
  // Limits are enforced run by run, never for several containers together.
  const ofPod = limitsAmong(spec.resources?.limits ?? {}, ["cpu", "memory"]);
  return [...phrases, ...ofPod.map((limit) => `pod: ${limit}`)];
}

/** An amount of zero is no limit. */
function limitsAmong(
  limits: { readonly [resource: string]: string },
  names: readonly string[],
): string[] {
  return names.flatMap((name) => {
    const amount = limits[name];
    return amount === undefined || isZero(getQuantity(amount)) ? [] : [`${name} ${amount}`];
  });
}
