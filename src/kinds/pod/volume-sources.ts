/** Pure: the possible sources of a volume with their rules, in the order of the checks. */
import { type Finding, forbidden, required } from "../../api/finding.ts";
import type {
  EmptyDirVolumeSource,
  ImageVolumeSource,
  Volume,
  VolumeSource,
} from "../../api/generated/core.ts";
import { getQuantity, isNegative } from "../../api/quantity.ts";
import { validatePullPolicy } from "./validate-image.ts";
import { validateEphemeral } from "./validate-volume-claim.ts";
import {
  validateConfigMap,
  validateDownwardApi,
  validateProjected,
  validateSecret,
} from "./validate-volume-files.ts";
import { validateIscsi } from "./validate-volume-iscsi.ts";
import {
  validateAwsElasticBlockStore,
  validateAzureDisk,
  validateAzureFile,
  validateCephFs,
  validateCinder,
  validateCsi,
  validateFc,
  validateFlexVolume,
  validateFlocker,
  validateGcePersistentDisk,
  validateGitRepo,
  validateGlusterfs,
  validateHostPath,
  validateNfs,
  validatePersistentVolumeClaim,
  validatePhotonPersistentDisk,
  validatePortworx,
  validateQuobyte,
  validateRbd,
  validateScaleIo,
  validateStorageOs,
  validateVsphere,
} from "./validate-volume-storage.ts";
import type { PodIdentity, VolumePlace } from "./volume-place.ts";

interface SourceRule {
  readonly key: keyof VolumeSource;
  /** The field under which a second source is reported. */
  readonly refusedAs: string;
  readonly validate: (volume: Volume, path: string, pod: PodIdentity) => Finding[];
}

/** The misspelled names are those in the messages of Kubernetes. */
export const VOLUME_SOURCES: readonly SourceRule[] = [
  source("emptyDir", validateEmptyDir),
  source("hostPath", validateHostPath),
  source("gitRepo", validateGitRepo),
  source("gcePersistentDisk", validateGcePersistentDisk, { validatedAs: "persistentDisk" }),
  source("awsElasticBlockStore", validateAwsElasticBlockStore),
  source("secret", validateSecret),
  source("nfs", validateNfs),
  source("iscsi", validateIscsi),
  source("glusterfs", validateGlusterfs),
  source("flocker", validateFlocker),
  source("persistentVolumeClaim", validatePersistentVolumeClaim),
  source("rbd", validateRbd),
  source("cinder", validateCinder),
  source("cephfs", validateCephFs, { refusedAs: "cephFS" }),
  source("quobyte", validateQuobyte),
  source("downwardAPI", validateDownwardApi, { refusedAs: "downwarAPI" }),
  source("fc", validateFc),
  source("flexVolume", validateFlexVolume),
  source("configMap", validateConfigMap),
  source("azureFile", validateAzureFile),
  source("vsphereVolume", validateVsphere),
  source("photonPersistentDisk", validatePhotonPersistentDisk),
  source("portworxVolume", validatePortworx),
  source("azureDisk", validateAzureDisk),
  source("storageos", validateStorageOs),
  source("projected", validateProjected),
  source("scaleIO", validateScaleIo),
  source("csi", validateCsi),
  source("ephemeral", validateEphemeral),
  source("image", validateImageVolume),
];

function source<Key extends keyof VolumeSource>(
  key: Key,
  validate: (value: NonNullable<VolumeSource[Key]>, path: string, place: VolumePlace) => Finding[],
  names: { readonly validatedAs?: string; readonly refusedAs?: string } = {},
): SourceRule {
  return {
    key,
    refusedAs: names.refusedAs ?? key,
    validate: (volume, volumePath, pod) => {
      const value: VolumeSource[Key] = volume[key];
      if (value === undefined) return [];
      const place = { volumeName: volume.name, volumePath, pod };
      return validate(value, `${volumePath}.${names.validatedAs ?? key}`, place);
    },
  };
}

function validateEmptyDir({ sizeLimit }: EmptyDirVolumeSource, path: string): Finding[] {
  if (sizeLimit === undefined || !isNegative(getQuantity(sizeLimit))) return [];
  const detail = "SizeLimit field must be a valid resource quantity";
  return [forbidden(`${path}.sizeLimit`, detail)];
}

/** In a template the reference may be omitted, to be set when pods are created from it. */
function validateImageVolume(
  { reference = "", pullPolicy }: ImageVolumeSource,
  path: string,
  { pod }: VolumePlace,
): Finding[] {
  const missing = pod.isPod && reference === "" ? [required(`${path}.reference`)] : [];
  return [...missing, ...validatePullPolicy(pullPolicy, `${path}.pullPolicy`)];
}
