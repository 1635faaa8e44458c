/**
 * Pure: decides about a claim: bind it, request a volume, mark it as lost, or let it wait with a
 * reason.
 */
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/generated/core.ts";
import type { StorageClass } from "../../api/generated/storage.ts";
import {
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  classOfClaim,
  findMismatch,
  findVolumeFor,
  hasNoWordOfClass,
  isBoundTo,
  SELECTED_NODE,
  waitsForConsumer,
} from "../../api/volume-claims.ts";

export interface ClaimSurroundings {
  readonly volumes: readonly PersistentVolume[];
  readonly findVolume: (name: string) => PersistentVolume | undefined;
  readonly findClass: (name: string) => StorageClass | undefined;
  /** The class of claims that do not specify one. */
  readonly defaultClass: string | undefined;
  /** Names of the pods that use the claim and have no node yet. */
  readonly waitingPods: readonly string[];
}

export interface Told {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export type ClaimDecision =
  | { readonly kind: "bind"; readonly volume: PersistentVolume }
  | { readonly kind: "pend"; readonly told?: Told }
  | { readonly kind: "lose"; readonly told: Told }
  | { readonly kind: "provision"; readonly provisioner: string }
  | { readonly kind: "classify"; readonly storageClass: string };

export function decideClaim(
  claim: PersistentVolumeClaim,
  around: ClaimSurroundings,
): ClaimDecision {
  const isCompleted = claim.metadata.annotations?.[BIND_COMPLETED] !== undefined;
  return isCompleted ? decideBound(claim, around) : decideUnbound(claim, around);
}

function decideBound(
  claim: PersistentVolumeClaim,
  { findVolume }: ClaimSurroundings,
): ClaimDecision {
  const { volumeName = "" } = claim.spec;
  if (volumeName === "") return lost("Bound claim has lost reference to PersistentVolume.");
  const volume = findVolume(volumeName);
  if (volume === undefined) return lost("Bound claim has lost its PersistentVolume.");
  const { claimRef } = volume.spec;
  if (claimRef === undefined || claimRef.uid === claim.metadata.uid)
    return { kind: "bind", volume };
  const message = "Two claims are bound to the same volume, this one is bound incorrectly";
  return { kind: "lose", told: { type: "Warning", reason: "ClaimMisbound", message } };
}

function lost(what: string): ClaimDecision {
  const message = `${what} Data on the volume is lost!`;
  return { kind: "lose", told: { type: "Warning", reason: "ClaimLost", message } };
}

function decideUnbound(claim: PersistentVolumeClaim, around: ClaimSurroundings): ClaimDecision {
  const { volumeName = "" } = claim.spec;
  if (volumeName !== "") return decideNamed(claim, around.findVolume(volumeName));
  const { defaultClass } = around;
  if (hasNoWordOfClass(claim) && defaultClass !== undefined) {
    return { kind: "classify", storageClass: defaultClass };
  }
  const storageClass = around.findClass(classOfClaim(claim));
  const isDelayed = waitsForConsumer(storageClass);
  const volume = findVolumeFor(claim, around.volumes, { onlyMeant: isDelayed });
  if (volume !== undefined) return { kind: "bind", volume };
  if (isDelayed && claim.metadata.annotations?.[SELECTED_NODE] === undefined) {
    return { kind: "pend", told: waiting(around.waitingPods) };
  }
  if (classOfClaim(claim) !== "") return decideProvisioning(claim, storageClass);
  const message = "no persistent volumes available for this claim and no storage class is set";
  return { kind: "pend", told: { type: "Normal", reason: "FailedBinding", message } };
}

function waiting(pods: readonly string[]): Told {
  if (pods.length === 0) {
    const message = "waiting for first consumer to be created before binding";
    return { type: "Normal", reason: "WaitForFirstConsumer", message };
  }
  const what = pods.length === 1 ? `pod ${pods[0]}` : `pods ${pods.join(",")}`;
  const message = `waiting for ${what} to be scheduled`;
  return { type: "Normal", reason: "WaitForPodScheduled", message };
}

function decideProvisioning(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
): ClaimDecision {
  if (storageClass === undefined) {
    return failed(`storageclass.storage.k8s.io "${classOfClaim(claim)}" not found`);
  }
  const { provisioner } = storageClass;
  // These provisioners are built into Kubernetes; none of them exists here.
  if (provisioner.startsWith("kubernetes.io/")) {
    return failed(`no volume plugin matched name: ${provisioner}`);
  }
  return { kind: "provision", provisioner };
}

function failed(message: string): ClaimDecision {
  return { kind: "pend", told: { type: "Warning", reason: "ProvisioningFailed", message } };
}

function decideNamed(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume | undefined,
): ClaimDecision {
  if (volume === undefined) return { kind: "pend" };
  const { claimRef } = volume.spec;
  if (claimRef !== undefined && isBoundTo(volume, claim)) return { kind: "bind", volume };
  if (claimRef !== undefined) {
    if (claim.metadata.annotations?.[BOUND_BY_CONTROLLER] !== undefined) return { kind: "pend" };
    const message = `volume "${volume.metadata.name}" already bound to a different claim.`;
    return { kind: "pend", told: { type: "Warning", reason: "FailedBinding", message } };
  }
  const mismatch = findMismatch(volume, claim);
  if (mismatch === undefined) return { kind: "bind", volume };
  const message = `Cannot bind to requested volume "${volume.metadata.name}": ${mismatch}`;
  return { kind: "pend", told: { type: "Warning", reason: "VolumeMismatch", message } };
}
