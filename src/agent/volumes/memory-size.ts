/** Pure: how much a volume of memory may hold: no more than it asks for, its pod, or the node. */
import type { Pod } from "../../api/generated/core.ts";
import { getQuantity, wholeUnits } from "../../api/quantity.ts";
import type { ResourceList } from "../environment/resource-reference.ts";

/** Undefined: as much as the system gives. */
export function memoryOf(
  { spec }: Pod,
  sizeLimit: string | undefined,
  allocatable: ResourceList,
): number | undefined {
  const ofContainers = (spec.containers ?? []).map(({ resources }) => resources.limits?.["memory"]);
  const isPodLimited =
    ofContainers.length > 0 && ofContainers.every((limit) => limit !== undefined);
  const ofPod = isPodLimited ? sum(ofContainers.map(bytesOf)) : 0;
  const limits = [bytesOf(sizeLimit), ofPod, bytesOf(allocatable["memory"])];
  const known = limits.filter((bytes) => bytes > 0);
  return known.length === 0 ? undefined : Math.min(...known);
}

function bytesOf(quantity: string | undefined): number {
  return quantity === undefined ? 0 : Number(wholeUnits(getQuantity(quantity)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
