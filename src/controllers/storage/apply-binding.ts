/** Carries out decisions about claims and volumes. A crash after any step is safe. */
import type { Client } from "../../api/client.ts";
import { isEqual } from "../../api/equal.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/generated/core.ts";
import { persistentVolumeClaims, persistentVolumes } from "../../api/resources.ts";
import { formatTime } from "../../api/time.ts";
import {
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  isBoundTo,
  referenceToClaim,
  STORAGE_PROVISIONER,
} from "../../api/volume-claims.ts";
import type { Clock } from "../../base/clock.ts";
import type { EventRecorder } from "../runtime/recorder.ts";
import type { ClaimDecision } from "./decide-claim.ts";
import type { VolumeDecision } from "./decide-volume.ts";

export interface Binding {
  readonly client: Client;
  readonly clock: Clock;
  readonly recorder: EventRecorder;
}

/** The former name of the annotation. Both are set. */
const FORMER_PROVISIONER = "volume.beta.kubernetes.io/storage-provisioner";

export async function carryOutClaim(
  binding: Binding,
  claim: PersistentVolumeClaim,
  decision: ClaimDecision,
): Promise<void> {
  const { client, recorder } = binding;
  switch (decision.kind) {
    case "bind":
      await bind(binding, decision.volume, claim);
      return;
    case "classify": {
      const spec = { ...claim.spec, storageClassName: decision.storageClass };
      await client.update(persistentVolumeClaims, { ...claim, spec });
      return;
    }
    case "provision":
      await askFor(binding, claim, decision.provisioner);
      return;
    case "lose":
      if (claim.status.phase === "Lost") return;
      recorder.event(claim, decision.told.type, decision.told.reason, decision.told.message);
      await setClaimStatus(client, claim, { ...claim.status, phase: "Lost" });
      return;
    case "pend": {
      const { told } = decision;
      if (told) recorder.event(claim, told.type, told.reason, told.message);
      await setClaimStatus(client, claim, { phase: "Pending" });
    }
  }
}

async function askFor(
  { client, recorder }: Binding,
  claim: PersistentVolumeClaim,
  provisioner: string,
): Promise<void> {
  const { annotations = {} } = claim.metadata;
  if (annotations[STORAGE_PROVISIONER] !== provisioner) {
    const asked = {
      ...annotations,
      [FORMER_PROVISIONER]: provisioner,
      [STORAGE_PROVISIONER]: provisioner,
    };
    const metadata = { ...claim.metadata, annotations: asked };
    await client.update(persistentVolumeClaims, { ...claim, metadata });
  }
  const message =
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' or ` +
    "manually by the system administrator. If volume creation is delayed, please verify that the " +
    "provisioner is running and correctly registered.";
  recorder.event(claim, "Normal", "ExternalProvisioning", message);
}

/**
 * Updates the volume first: a claim whose volume does not refer back to it would count as misbound.
 */
async function bind(
  binding: Binding,
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
): Promise<void> {
  const { client } = binding;
  const bound = await bindVolume(client, volume, claim);
  await setVolumePhase(binding, bound, "Bound");
  const named = await bindClaim(client, claim, volume.metadata.name ?? "");
  const { accessModes, capacity } = volume.spec;
  await setClaimStatus(client, named, {
    ...named.status,
    phase: "Bound",
    ...(accessModes === undefined ? {} : { accessModes }),
    ...(capacity === undefined ? {} : { capacity: { ...named.status.capacity, ...capacity } }),
  });
}

async function bindVolume(
  client: Client,
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
): Promise<PersistentVolume> {
  const { claimRef } = volume.spec;
  const { uid } = claim.metadata;
  if (claimRef?.uid === uid && isBoundTo(volume, claim)) return volume;
  const { annotations = {} } = volume.metadata;
  const isOurs = claimRef === undefined || annotations[BOUND_BY_CONTROLLER] !== undefined;
  const noted = isOurs ? { ...annotations, [BOUND_BY_CONTROLLER]: "yes" } : annotations;
  return client.update(persistentVolumes, {
    ...volume,
    metadata: { ...volume.metadata, annotations: noted },
    spec: { ...volume.spec, claimRef: referenceToClaim(claim) },
  });
}

async function bindClaim(
  client: Client,
  claim: PersistentVolumeClaim,
  volumeName: string,
): Promise<PersistentVolumeClaim> {
  const { annotations = {} } = claim.metadata;
  const isNamed = (claim.spec.volumeName ?? "") !== "";
  if (isNamed && annotations[BIND_COMPLETED] !== undefined) return claim;
  const noted = {
    ...annotations,
    ...(isNamed ? {} : { [BOUND_BY_CONTROLLER]: "yes" }),
    [BIND_COMPLETED]: "yes",
  };
  return client.update(persistentVolumeClaims, {
    ...claim,
    metadata: { ...claim.metadata, annotations: noted },
    spec: { ...claim.spec, volumeName },
  });
}

async function setClaimStatus(
  client: Client,
  claim: PersistentVolumeClaim,
  status: PersistentVolumeClaim["status"],
): Promise<void> {
  if (isEqual(claim.status, status)) return;
  await client.updateStatus(persistentVolumeClaims, { ...claim, status });
}

export async function carryOutVolume(
  binding: Binding,
  volume: PersistentVolume,
  decision: VolumeDecision,
): Promise<void> {
  switch (decision.kind) {
    case "phase": {
      const { phase, told } = decision;
      if (told) binding.recorder.event(volume, told.type, told.reason, told.message);
      await setVolumePhase(binding, volume, phase, told?.message);
      return;
    }
    case "unbind":
      await unbind(binding, volume, decision.isUsersOwn);
      return;
    default:
  }
}

/** A volume that a user reserved for a claim by name stays reserved. */
async function unbind(
  binding: Binding,
  volume: PersistentVolume,
  isUsersOwn: boolean,
): Promise<void> {
  const { claimRef, ...spec } = volume.spec;
  const { [BOUND_BY_CONTROLLER]: _, ...annotations } = volume.metadata.annotations ?? {};
  const { uid: _uid, ...reserved } = claimRef ?? {};
  const freed = await binding.client.update(persistentVolumes, {
    ...volume,
    metadata: { ...volume.metadata, annotations },
    spec: isUsersOwn ? { ...spec, claimRef: reserved } : spec,
  });
  await setVolumePhase(binding, freed, "Available");
}

async function setVolumePhase(
  { client, clock }: Binding,
  volume: PersistentVolume,
  phase: string,
  message?: string,
): Promise<void> {
  if (volume.status.phase === phase) return;
  const lastPhaseTransitionTime = formatTime(clock.nowMs());
  const status = { phase, ...(message === undefined ? {} : { message }), lastPhaseTransitionTime };
  await client.updateStatus(persistentVolumes, { ...volume, status });
}
