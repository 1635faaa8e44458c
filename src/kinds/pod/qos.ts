/** Pure: the quality of service class of a pod, which depends on its resources. */
import type { PodSpec, ResourceRequirements } from "../../api/generated/core.ts";
import {
  addQuantities,
  compareQuantities,
  getQuantity,
  type Quantity,
} from "../../api/quantity.ts";
import { isPodLevelResource } from "./resource-names.ts";

export type QosClass = "Guaranteed" | "Burstable" | "BestEffort";

const COMPUTE = ["cpu", "memory"] as const;

export function qosClassOf(spec: PodSpec): QosClass {
  const sources = hasPodLevelResources(spec)
    ? [spec.resources ?? {}]
    : [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map((each) => each.resources);
  const requests = sum(sources, "requests");
  const limits = sum(sources, "limits");
  if (requests.size === 0 && limits.size === 0) return "BestEffort";
  const isLimited = sources.every((source) => isFullyLimited(source, hasPodLevelResources(spec)));
  const isExact = [...requests].every(([name, request]) => {
    const limit = limits.get(name);
    return limit !== undefined && compareQuantities(limit, request) === 0;
  });
  return isLimited && isExact && requests.size === limits.size ? "Guaranteed" : "Burstable";
}

export function hasPodLevelResources({ resources }: PodSpec): boolean {
  const names = Object.keys({ ...resources?.requests, ...resources?.limits });
  return names.some(isPodLevelResource);
}

/** For a pod-level specification without limits, only the comparison of the sums decides. */
function isFullyLimited({ limits = {} }: ResourceRequirements, isPodLevel: boolean): boolean {
  if (isPodLevel && Object.keys(limits).length === 0) return true;
  return COMPUTE.every((name) => getQuantity(limits[name] ?? "0").nanos > 0n);
}

function sum(
  sources: readonly ResourceRequirements[],
  of: "requests" | "limits",
): Map<string, Quantity> {
  const total = new Map<string, Quantity>();
  for (const source of sources) {
    for (const name of COMPUTE) {
      const amount = getQuantity(source[of]?.[name] ?? "0");
      if (amount.nanos <= 0n) continue;
      const before = total.get(name);
      total.set(name, before === undefined ? amount : addQuantities(before, amount));
    }
  }
  return total;
}
