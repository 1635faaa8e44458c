/** Pure: decides the phase of a volume: available, bound, released or failed. */
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/generated/core.ts";
import { BOUND_BY_CONTROLLER, PROVISIONED_BY } from "../../api/volume-claims.ts";
import type { Told } from "./decide-claim.ts";

export type VolumeDecision =
  | { readonly kind: "phase"; readonly phase: string; readonly told?: Told }
  /** The claim has to be bound to it first. */
  | { readonly kind: "askClaim" }
  /** It was reserved for a claim that is bound to another volume. */
  | { readonly kind: "unbind"; readonly isUsersOwn: boolean }
  | { readonly kind: "leave" };

const AVAILABLE: VolumeDecision = { kind: "phase", phase: "Available" };
const BOUND: VolumeDecision = { kind: "phase", phase: "Bound" };

/** `claim` is the claim that claimRef refers to, if it exists with the same UID. */
export function decideVolume(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim | undefined,
): VolumeDecision {
  const { claimRef } = volume.spec;
  if (claimRef === undefined || (claimRef.uid ?? "") === "") return AVAILABLE;
  if (claim === undefined) return decideReleased(volume);
  const { volumeName = "" } = claim.spec;
  if (volumeName === "") return { kind: "askClaim" };
  if (volumeName === volume.metadata.name) return BOUND;
  const { annotations = {} } = volume.metadata;
  const isMade = annotations[PROVISIONED_BY] !== undefined;
  if (isMade && volume.spec.persistentVolumeReclaimPolicy === "Delete") {
    return decideReleased(volume);
  }
  return { kind: "unbind", isUsersOwn: annotations[BOUND_BY_CONTROLLER] === undefined };
}

/**
 * A provisioned volume is deleted by its provisioner when it is released. A volume created by a
 * user cannot be deleted here.
 */
function decideReleased({ metadata, spec, status }: PersistentVolume): VolumeDecision {
  const { phase } = status;
  if (phase === "Failed") return { kind: "leave" };
  const policy = spec.persistentVolumeReclaimPolicy ?? "Retain";
  const isMade = metadata.annotations?.[PROVISIONED_BY] !== undefined;
  if (policy === "Retain" || (policy === "Delete" && isMade)) {
    return phase === "Released" ? { kind: "leave" } : { kind: "phase", phase: "Released" };
  }
  if (phase !== "Released") return { kind: "phase", phase: "Released" };
  return { kind: "phase", phase: "Failed", told: unreclaimable(metadata.name ?? "", policy) };
}

function unreclaimable(name: string, policy: string): Told {
  if (policy === "Delete") {
    const what = `error getting deleter volume plugin for volume "${name}"`;
    const message = `${what}: no volume plugin matched`;
    return { type: "Warning", reason: "VolumeFailedDelete", message };
  }
  const message = "No recycler plugin found for the volume!";
  return { type: "Warning", reason: "VolumeFailedRecycle", message };
}
