/** Pure: what becomes of a volume: free, bound, or left behind by its claim. */
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/generated/core.ts";
import { BOUND_BY_CONTROLLER, PROVISIONED_BY } from "../../api/volume-claims.ts";
import type { Told } from "./decide-claim.ts";

export type VolumeDecision =
  | { readonly kind: "phase"; readonly phase: string; readonly told?: Told }
  /** The claim has yet to take it. */
  | { readonly kind: "askClaim" }
  /** It was promised to a claim that has another one. */
  | { readonly kind: "unbind"; readonly isUsersOwn: boolean }
  | { readonly kind: "leave" };

const AVAILABLE: VolumeDecision = { kind: "phase", phase: "Available" };
const BOUND: VolumeDecision = { kind: "phase", phase: "Bound" };

/** The claim is the one its reference names, if there is one of that uid. */
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

/** Whoever made a volume removes it when it is released; what a user made nobody can remove. */
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
