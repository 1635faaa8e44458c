/** Pure: what a pod gets of a claim, or in kubelet's words why it does not. */
import { quote } from "../../api/finding.ts";
import type {
  HostPathVolumeSource,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Volume,
} from "../../api/generated/core.ts";
import { controllerOf } from "../../api/owner-reference.ts";
import { claimNameOf } from "./references.ts";

export interface ClaimLookup {
  readonly claim: (namespace: string, name: string) => PersistentVolumeClaim | undefined;
  readonly volume: (name: string) => PersistentVolume | undefined;
}

export type ClaimSource =
  /** `isGiven`: whoever made the volume made the directory, too. */
  | {
      readonly name: string;
      readonly hostPath: HostPathVolumeSource;
      readonly isGiven: boolean;
      readonly isReadOnly: boolean;
    }
  | { readonly unprocessed: string };

export function sourceOfClaim(pod: Pod, volume: Volume, lookup: ClaimLookup): ClaimSource {
  const { namespace = "" } = pod.metadata;
  const name = claimNameOf(pod, volume) ?? "";
  const unprocessed = (why: string): ClaimSource => ({
    unprocessed: `error processing PVC ${namespace}/${name}: ${why}`,
  });
  const claim = lookup.claim(namespace, name);
  if (claim === undefined) {
    const why = `persistentvolumeclaims ${quote(name)} not found`;
    return unprocessed(`failed to fetch PVC from API server: ${why}`);
  }
  if (volume.ephemeral && controllerOf(claim)?.uid !== pod.metadata.uid) {
    const pair = `${namespace}/${name} was not created for pod ${namespace}/${pod.metadata.name}`;
    return unprocessed(`PVC ${pair} (pod is not owner)`);
  }
  if (claim.metadata.deletionTimestamp !== undefined) return unprocessed("PVC is being deleted");
  if (claim.status.phase !== "Bound") return unprocessed("PVC is not bound");
  const { volumeName = "" } = claim.spec;
  if (volumeName === "") return unprocessed("PVC has empty pvc.Spec.VolumeName");
  const bound = lookup.volume(volumeName);
  if (bound === undefined) {
    const why = `persistentvolumes ${quote(volumeName)} not found`;
    return unprocessed(`failed to fetch PV ${quote(volumeName)} from API server: ${why}`);
  }
  if (bound.spec.claimRef?.uid !== claim.metadata.uid) {
    const why = `PV bound to unexpected PVC ${quote(bound.spec.claimRef?.uid ?? "")}`;
    return unprocessed(why);
  }
  const { hostPath, local } = bound.spec;
  const isReadOnly = volume.persistentVolumeClaim?.readOnly === true;
  const found = hostPath ?? (local && { path: local.path, type: "Directory" });
  if (found === undefined) return unprocessed("no volume plugin matched");
  return { name: volumeName, hostPath: found, isGiven: local !== undefined, isReadOnly };
}
