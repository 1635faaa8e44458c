/** Pure: the volume claims of a pod, and their owners. */
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

/** A claim replaces a volume of the same name in the template. */
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

export interface OwnersReview {
  /** The correct owner references; undefined if the present ones may stay. */
  readonly corrected?: readonly OwnerReference[];
  /** Another controller manages the claim, so the retention policy does not apply to it. */
  readonly isContested: boolean;
}

/**
 * Compares the owners of a claim with the retention policy, as Kubernetes 1.36 does:
 *
 * 1. A claim of an earlier set or pod of the same name is left to the garbage collector.
 * 2. If another controller manages the claim, our own references are removed.
 * 3. A reference of ours without `controller: true` is written again, or removed.
 * 4. Otherwise the claim belongs to the set if it is deleted with the set, and to the pod if the
 *    pod is scaled away and the claim is deleted then.
 */
export function reviewOwners(
  set: StatefulSet,
  pod: Pod,
  { metadata }: PersistentVolumeClaim,
): OwnersReview {
  const present = metadata.ownerReferences ?? [];
  const ours = [identityOf(set, SET_KIND), identityOf(pod, POD_KIND)];
  const isContested = hasPolicy(set) && isManagedByOther(present, ours);
  if (ours.some((owner) => isStaleFor(present, owner))) return { isContested };
  const others = present.filter((reference) => !ours.some((owner) => isNamed(reference, owner)));
  if (isContested) {
    const isOwned = present.some(({ uid }) => ours.some((owner) => owner.uid === uid));
    return isOwned ? { isContested, corrected: others } : { isContested };
  }
  const owner = ownerOf(set, pod);
  const isDone = others.some(({ uid }) => uid === owner?.uid);
  const corrected = [...others, ...(owner && !isDone ? [controllerReference(owner)] : [])];
  return hasRightOwners(present, ours, owner) ? { isContested } : { isContested, corrected };
}

interface OwnerIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Absent for a pod that is about to be created. */
  readonly uid: string | undefined;
}

const SET_KIND = { apiVersion: "apps/v1", kind: "StatefulSet" };
const POD_KIND = { apiVersion: "v1", kind: "Pod" };

function identityOf(
  { metadata }: StatefulSet | Pod,
  type: Pick<OwnerIdentity, "apiVersion" | "kind">,
): OwnerIdentity {
  return { ...type, name: metadata.name ?? "", uid: metadata.uid };
}

/** The owner that the policy requires, if any. */
function ownerOf(set: StatefulSet, pod: Pod): OwnerIdentity | undefined {
  const { deletesScaled, deletesDeleted } = retentionOf(set);
  const isScaledAway = !isInRange(set, ordinalIn(set, pod) ?? -1);
  if (deletesScaled && isScaledAway) return identityOf(pod, POD_KIND);
  return deletesDeleted ? identityOf(set, SET_KIND) : undefined;
}

function hasPolicy(set: StatefulSet): boolean {
  const { deletesScaled, deletesDeleted } = retentionOf(set);
  return deletesScaled || deletesDeleted;
}

function isNamed(reference: OwnerReference, { apiVersion, kind, name }: OwnerIdentity): boolean {
  const isOfKind = reference.apiVersion === apiVersion && reference.kind === kind;
  return isOfKind && reference.name === name;
}

/** True if the first reference with that name refers to a different object, by UID. */
function isStaleFor(present: readonly OwnerReference[], owner: OwnerIdentity): boolean {
  const named = present.find((reference) => isNamed(reference, owner));
  return named !== undefined && named.uid !== owner.uid;
}

function isManagedByOther(
  present: readonly OwnerReference[],
  ours: readonly OwnerIdentity[],
): boolean {
  return present.some((reference) => {
    const own = ours.find((owner) => isNamed(reference, owner));
    return own ? own.uid !== reference.uid : reference.controller === true;
  });
}

function hasRightOwners(
  present: readonly OwnerReference[],
  ours: readonly OwnerIdentity[],
  wanted: OwnerIdentity | undefined,
): boolean {
  return ours.every(({ uid }) => {
    const own = present.filter((reference) => reference.uid === uid);
    const isWanted = uid === wanted?.uid && wanted !== undefined;
    return own.length > 0 === isWanted && own.every(({ controller }) => controller === true);
  });
}

function controllerReference({ uid = "", ...owner }: OwnerIdentity): OwnerReference {
  return { ...owner, uid, controller: true, blockOwnerDeletion: true };
}

/** The claim belongs to an earlier pod of this name, and is about to be deleted with it. */
export function isStale({ metadata }: PersistentVolumeClaim, podName: string): boolean {
  const owner = { ...POD_KIND, name: podName, uid: undefined };
  return isStaleFor(metadata.ownerReferences ?? [], owner);
}
