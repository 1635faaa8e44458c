/** Pure: how long a pod may stay on a node with NoExecute taints. */
import type { Pod, Taint, Toleration } from "../../api/generated/core.ts";
import { tolerates } from "../../api/taints.ts";

/**
 * Counted from when the last of the taints was seen: 0 means evict at once, Infinity means stay.
 */
export function stayMs({ spec }: Pod, taints: readonly Taint[]): number {
  const driving = taints.filter(({ effect }) => effect === "NoExecute");
  const limits: number[] = [];
  for (const taint of driving) {
    // If several tolerations match, the first one decides.
    const tolerating = (spec.tolerations ?? []).find((each) => tolerates(each, taint));
    if (!tolerating) return 0;
    limits.push(limitOf(tolerating));
  }
  return Math.min(Number.POSITIVE_INFINITY, ...limits);
}

function limitOf({ tolerationSeconds }: Toleration): number {
  if (tolerationSeconds === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(0, tolerationSeconds) * 1000;
}
