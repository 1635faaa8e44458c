/** Pure: the relations of claims, volumes and classes, and which volume a claim may get. */
import type {
  ObjectReference,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
} from "./generated/core.ts";
import type { StorageClass } from "./generated/storage.ts";
import { compareQuantities, getQuantity } from "./quantity.ts";
import { selects } from "./selectors/label-selector.ts";

/** The annotation used before the field existed. It still takes precedence. */
const CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";
export const BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
export const BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";
export const PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";
export const SELECTED_NODE = "volume.kubernetes.io/selected-node";
export const STORAGE_PROVISIONER = "volume.kubernetes.io/storage-provisioner";

/** "" means no class. */
export function classOfClaim({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata.annotations?.[CLASS_ANNOTATION] ?? spec.storageClassName ?? "";
}

/** Whether the class is not specified at all, which differs from explicitly having none. */
export function hasNoWordOfClass({ metadata, spec }: PersistentVolumeClaim): boolean {
  return (
    spec.storageClassName === undefined && metadata.annotations?.[CLASS_ANNOTATION] === undefined
  );
}

export function classOfVolume({ metadata, spec }: PersistentVolume): string {
  return metadata.annotations?.[CLASS_ANNOTATION] ?? spec.storageClassName ?? "";
}

/** A claim of such a class is bound after a pod that uses it has been assigned to a node. */
export function waitsForConsumer(storageClass: StorageClass | undefined): boolean {
  return storageClass?.volumeBindingMode === "WaitForFirstConsumer";
}

/** The claim and the volume refer to each other. */
export function isFullyBound({ metadata, spec }: PersistentVolumeClaim): boolean {
  return (spec.volumeName ?? "") !== "" && metadata.annotations?.[BIND_COMPLETED] !== undefined;
}

/** The volume refers to the claim, by UID or just by name. */
export function isBoundTo({ spec }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const { claimRef } = spec;
  const { namespace, name, uid } = claim.metadata;
  if (claimRef?.name !== name || claimRef?.namespace !== namespace) return false;
  return (claimRef?.uid ?? "") === "" || claimRef?.uid === uid;
}

export function referenceToClaim({ metadata }: PersistentVolumeClaim): ObjectReference {
  const { namespace = "", name = "", uid = "", resourceVersion = "" } = metadata;
  const kind = "PersistentVolumeClaim";
  return { kind, namespace, name, uid, apiVersion: "v1", resourceVersion };
}

/** Why a volume that was requested by name does not match, in Kubernetes' wording. */
export function findMismatch(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
): string | undefined {
  if (isSmaller(volume, claim)) return "requested PV is too small";
  if (classOfVolume(volume) !== classOfClaim(claim)) return "storageClassName does not match";
  if (!hasSameMode(volume, claim)) return "incompatible volumeMode";
  if (!hasModes(volume, claim)) return "incompatible accessMode";
  return undefined;
}

/**
 * The volume reserved for the claim, else the smallest sufficient one: with the fewest access
 * modes, then with the smallest capacity.
 */
export function findVolumeFor(
  claim: PersistentVolumeClaim,
  volumes: Iterable<PersistentVolume>,
  { onlyMeant = false }: { readonly onlyMeant?: boolean } = {},
): PersistentVolume | undefined {
  const isSelected = selects(claim.spec.selector);
  let best: PersistentVolume | undefined;
  for (const volume of volumes) {
    const isMeant = isBoundTo(volume, claim);
    if (volume.spec.claimRef !== undefined && !isMeant) continue;
    if (volume.metadata.deletionTimestamp !== undefined) continue;
    if (isSmaller(volume, claim) || !hasSameMode(volume, claim)) continue;
    if (isMeant) return volume;
    if (onlyMeant || volume.status.phase !== "Available") continue;
    if (claim.spec.selector !== undefined && !isSelected(volume)) continue;
    if (classOfVolume(volume) !== classOfClaim(claim) || !hasModes(volume, claim)) continue;
    if (best === undefined || isLess(volume, best)) best = volume;
  }
  return best;
}

function isLess(one: PersistentVolume, other: PersistentVolume): boolean {
  const modes = (one.spec.accessModes?.length ?? 0) - (other.spec.accessModes?.length ?? 0);
  return modes !== 0 ? modes < 0 : compareQuantities(capacityOf(one), capacityOf(other)) < 0;
}

function isSmaller(volume: PersistentVolume, { spec }: PersistentVolumeClaim): boolean {
  const wanted = getQuantity(spec.resources.requests?.["storage"] ?? "0");
  return compareQuantities(capacityOf(volume), wanted) < 0;
}

function capacityOf({ spec }: PersistentVolume) {
  return getQuantity(spec.capacity?.["storage"] ?? "0");
}

function hasSameMode(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (volume.spec.volumeMode ?? "Filesystem") === (claim.spec.volumeMode ?? "Filesystem");
}

function hasModes(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (claim.spec.accessModes ?? []).every((mode) => volume.spec.accessModes?.includes(mode));
}

/**
 * The names of the claims that a pod uses. A claim of an ephemeral volume is named after the pod.
 */
export function claimNamesOf({ metadata, spec }: Pod): readonly string[] {
  const { volumes } = spec;
  if (volumes === undefined || volumes.length === 0) return NONE;
  return volumes.flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (ephemeral) return [`${metadata.name}-${name}`];
    return persistentVolumeClaim ? [persistentVolumeClaim.claimName] : [];
  });
}

const NONE: readonly string[] = [];
