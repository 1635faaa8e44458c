/** Pure: the volume claims of a pod, and whose they are. */
import type { StatefulSet } from "../../api/generated/apps.ts";
import type { PersistentVolumeClaim, Pod, Volume } from "../../api/generated/core.ts";
import type { OwnerReference } from "../../api/generated/meta.ts";
import { isInRange, ordinalIn } from "./identity.ts";

export function claimName(template: string, { metadata }: StatefulSet, ordinal: number): string {
  return `${template}-${metadata.name ?? ""}-${ordinal}`;
}

export function claimsOf(set: StatefulSet, ordinal: number): readonly PersistentVolumeClaim[] {
  const matchLabels = set.spec.selector?.matchLabels ?? {};
  return (set.spec.volumeClaimTemplates ?? []).map((template) => ({
    ...template,
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      ...template.metadata,
      name: claimName(template.metadata.name ?? "", set, ordinal),
      namespace: set.metadata.namespace ?? "",
      labels: { ...template.metadata.labels, ...matchLabels },
    },
    status: {},
  }));
}

/** A claim takes the place of what the template has under its name. */
export function volumesOf(
  set: StatefulSet,
  ordinal: number,
  given: readonly Volume[],
): readonly Volume[] {
  const templates = (set.spec.volumeClaimTemplates ?? []).map(
    ({ metadata }) => metadata.name ?? "",
  );
  return [
    ...templates.map((name) => ({
      name,
      persistentVolumeClaim: { claimName: claimName(name, set, ordinal) },
    })),
    ...given.filter(({ name }) => !templates.includes(name)),
  ];
}

export function hasItsVolumes(set: StatefulSet, pod: Pod): boolean {
  const ordinal = ordinalIn(set, pod) ?? 0;
  return (set.spec.volumeClaimTemplates ?? []).every(({ metadata }) => {
    const volume = pod.spec.volumes?.find(({ name }) => name === metadata.name);
    return (
      volume?.persistentVolumeClaim?.claimName === claimName(metadata.name ?? "", set, ordinal)
    );
  });
}

interface RetentionPolicy {
  readonly deletesScaled: boolean;
  readonly deletesDeleted: boolean;
}

export function retentionOf({ spec }: StatefulSet): RetentionPolicy {
  const { whenScaled, whenDeleted } = spec.persistentVolumeClaimRetentionPolicy ?? {};
  return { deletesScaled: whenScaled === "Delete", deletesDeleted: whenDeleted === "Delete" };
}

/**
 * A claim goes with its owner: with the set if it is to go when the set is deleted, with the pod
 * if the pod is scaled away and the claim is to go then. Undefined where it has the right owners.
 */
export function correctedOwners(
  set: StatefulSet,
  pod: Pod,
  { metadata }: PersistentVolumeClaim,
): readonly OwnerReference[] | undefined {
  const { deletesScaled, deletesDeleted } = retentionOf(set);
  const isScaledAway = !isInRange(set, ordinalIn(set, pod) ?? -1);
  const goesWithPod = deletesScaled && isScaledAway;
  const goesWithSet = deletesDeleted && !goesWithPod;
  const present = metadata.ownerReferences ?? [];
  const has = (uid: string | undefined) => present.some((owner) => owner.uid === uid);
  if (has(set.metadata.uid) === goesWithSet && has(pod.metadata.uid) === goesWithPod) {
    return undefined;
  }
  const others = present.filter(({ uid }) => uid !== set.metadata.uid && uid !== pod.metadata.uid);
  return [
    ...others,
    ...(goesWithSet ? [ownedBy("apps/v1", "StatefulSet", set)] : []),
    ...(goesWithPod ? [ownedBy("v1", "Pod", pod)] : []),
  ];
}

function ownedBy(apiVersion: string, kind: string, { metadata }: StatefulSet | Pod) {
  const { name = "", uid = "" } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** It belongs to an earlier pod of this name, and is about to go with it. */
export function isStale({ metadata }: PersistentVolumeClaim, podUid: string | undefined): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ kind, uid, apiVersion }) => kind === "Pod" && apiVersion === "v1" && uid !== podUid,
  );
}
