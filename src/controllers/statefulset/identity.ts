/** Pure: the identity of a pod within a StatefulSet. */
import type { StatefulSet } from "../../api/generated/apps.ts";
import type { Pod } from "../../api/generated/core.ts";

export const POD_NAME_LABEL = "statefulset.kubernetes.io/pod-name";
export const POD_INDEX_LABEL = "apps.kubernetes.io/pod-index";
export const REVISION_LABEL = "controller-revision-hash";

export function podNameOf({ metadata }: StatefulSet, ordinal: number): string {
  return `${metadata.name ?? ""}-${ordinal}`;
}

/** Undefined if the name of the pod does not belong to this set. */
export function ordinalIn({ metadata }: StatefulSet, pod: Pod): number | undefined {
  const [, parent, ordinal] = /^(.*)-([0-9]+)$/.exec(pod.metadata.name ?? "") ?? [];
  return parent === metadata.name && ordinal !== undefined ? Number(ordinal) : undefined;
}

export function startOf({ spec }: StatefulSet): number {
  return spec.ordinals?.start ?? 0;
}

export function replicasOf({ spec }: StatefulSet): number {
  return spec.replicas ?? 1;
}

export function isInRange(set: StatefulSet, ordinal: number): boolean {
  return ordinal >= startOf(set) && ordinal < startOf(set) + replicasOf(set);
}

export function revisionOf({ metadata }: Pod): string {
  return metadata.labels?.[REVISION_LABEL] ?? "";
}
