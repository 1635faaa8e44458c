/** Pure: which pods no node will ever end, and which finished pods are too many. */
import type { Pod } from "../../api/generated/core.ts";
import type { Disruption } from "../runtime/disrupt-pod.ts";

export function isOver({ status }: Pod): boolean {
  return status.phase === "Succeeded" || status.phase === "Failed";
}

/** The pod is being deleted, but has no node that could stop it. */
export function isStranded({ metadata, spec }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && !spec.nodeName;
}

export const NODE_GONE: Disruption = {
  reason: "DeletionByPodGC",
  message: "PodGC: node no longer exists",
};

export const OUT_OF_SERVICE: Disruption = {
  reason: "DeletionByPodGC",
  message: "PodGC: node is out of service",
};

/** Evicted pods first, then the oldest. */
export function surplusOf(finished: Iterable<Pod>, threshold: number): readonly Pod[] {
  const all = [...finished];
  if (all.length <= threshold) return [];
  return all.sort(byUse).slice(0, all.length - threshold);
}

function byUse(one: Pod, other: Pod): number {
  const [first = "", second = ""] = [one, other].map(({ metadata, status }) => {
    const rank = status.reason === "Evicted" ? 0 : 1;
    return `${rank} ${metadata.creationTimestamp ?? ""} ${metadata.name ?? ""}`;
  });
  return first < second ? -1 : 1;
}
