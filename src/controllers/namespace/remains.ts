/** Pure: what is left of a resource type after its deletion, why, and for how long. */
import type { ResourceType } from "../../api/client.ts";
import type { Pod } from "../../api/generated/core.ts";
import type { KubeObject } from "../../api/object.ts";

export interface Remains {
  readonly type: ResourceType;
  readonly count: number;
  /** By finalizer, the number of objects it holds. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** The estimated time until the objects are gone; 0 if unknown. */
  readonly estimateSeconds: number;
  readonly failure?: string;
}

/** The estimated time that other controllers need to remove their finalizers. */
const FINALIZER_ESTIMATE_SECONDS = 15;

export function remainsOf(
  type: ResourceType,
  namespace: string,
  items: readonly KubeObject[],
  graceSeconds: number,
): Remains {
  const finalizers = countFinalizers(items);
  const left = { type, count: items.length, finalizers };
  if (items.length === 0) return { ...left, estimateSeconds: 0 };
  if (graceSeconds > 0) return { ...left, estimateSeconds: graceSeconds };
  if (finalizers.size > 0) return { ...left, estimateSeconds: FINALIZER_ESTIMATE_SECONDS };
  const { group, version, resource } = type;
  const what = `${group}/${version}, Resource=${resource}`;
  const failure = `unexpected items still remain in namespace: ${namespace} for gvr: ${what}`;
  return { ...left, estimateSeconds: 0, failure };
}

export function failedRemains(type: ResourceType, failure: string, graceSeconds: number): Remains {
  return { type, count: 0, finalizers: new Map(), estimateSeconds: graceSeconds, failure };
}

function countFinalizers(items: readonly KubeObject[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { metadata } of items) {
    for (const finalizer of metadata.finalizers ?? []) {
      counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1);
    }
  }
  return counts;
}

/** The longest grace period of a pod; 0 once it has passed for all pods. */
export function graceOf(
  pods: readonly Pod[],
  { deletedAtMs, nowMs }: { readonly deletedAtMs: number; readonly nowMs: number },
): number {
  const longest = pods
    .filter(({ status }) => status.phase !== "Succeeded" && status.phase !== "Failed")
    .reduce((most, { spec }) => Math.max(most, spec.terminationGracePeriodSeconds ?? 0), 0);
  return nowMs - deletedAtMs >= longest * 1000 ? 0 : longest;
}
