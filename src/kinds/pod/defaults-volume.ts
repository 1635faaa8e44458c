/** Pure: the defaults of volumes. */
import type { Volume, VolumeProjection } from "../../api/generated/core.ts";
import type { Draft } from "../../api/object.ts";
import { roundedUpToMilli } from "../../api/quantity.ts";
import { defaultPullPolicy } from "./validate-image.ts";

const FILE_MODE = 0o644;
const TOKEN_SECONDS = 3600;

export function setVolumeDefaults(volume: Draft<Volume>): void {
  // A volume without a source is an emptyDir.
  if (Object.keys(volume).every((key) => key === "name")) volume.emptyDir = {};
  const { secret, configMap, downwardAPI, projected, hostPath, image, ephemeral } = volume;
  if (secret) secret.defaultMode ??= FILE_MODE;
  if (configMap) configMap.defaultMode ??= FILE_MODE;
  if (hostPath) hostPath.type ??= "";
  if (image) image.pullPolicy ??= defaultPullPolicy(image.reference ?? "");
  if (downwardAPI) {
    downwardAPI.defaultMode ??= FILE_MODE;
    setFileDefaults(downwardAPI.items);
  }
  if (projected) {
    projected.defaultMode ??= FILE_MODE;
    for (const source of projected.sources ?? []) setProjectionDefaults(source);
  }
  if (ephemeral?.volumeClaimTemplate) {
    const { spec } = ephemeral.volumeClaimTemplate;
    spec.volumeMode ??= "Filesystem";
    setClaimResourceDefaults(spec.resources);
  }
  setLegacyDefaults(volume);
}

type ClaimResources = Draft<
  NonNullable<NonNullable<Volume["ephemeral"]>["volumeClaimTemplate"]>["spec"]["resources"]
>;

export function setClaimResourceDefaults({ limits, requests }: ClaimResources): void {
  for (const list of [limits, requests]) {
    for (const [name, text] of Object.entries(list ?? {})) {
      if (list) list[name] = roundedUpToMilli(text);
    }
  }
}

function setProjectionDefaults(source: Draft<VolumeProjection>): void {
  setFileDefaults(source.downwardAPI?.items);
  const { serviceAccountToken } = source;
  if (serviceAccountToken) serviceAccountToken.expirationSeconds ??= TOKEN_SECONDS;
}

function setFileDefaults(files: Draft<NonNullable<Volume["downwardAPI"]>["items"]>): void {
  for (const { fieldRef } of files ?? []) if (fieldRef) fieldRef.apiVersion ??= "v1";
}

function setLegacyDefaults({ rbd, iscsi, azureDisk, scaleIO }: Draft<Volume>): void {
  if (rbd) {
    rbd.pool ??= "rbd";
    rbd.user ??= "admin";
    rbd.keyring ??= "/etc/ceph/keyring";
  }
  if (iscsi) iscsi.iscsiInterface ??= "default";
  if (azureDisk) {
    azureDisk.cachingMode ??= "ReadWrite";
    azureDisk.kind ??= "Shared";
    azureDisk.fsType ??= "ext4";
    azureDisk.readOnly ??= false;
  }
  if (scaleIO) {
    scaleIO.storageMode ??= "ThinProvisioned";
    scaleIO.fsType ??= "xfs";
  }
}
