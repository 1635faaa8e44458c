/**
 * Pure: the possible sources of a PersistentVolume with their rules, in the order of the checks.
 */
import { type Finding, forbidden, invalid, required } from "../../api/finding.ts";
import type {
  AzureFilePersistentVolumeSource,
  CinderPersistentVolumeSource,
  CSIPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
  LocalVolumeSource,
  PersistentVolume,
  PersistentVolumeSource,
  PersistentVolumeSpec,
  SecretReference,
  StorageOSPersistentVolumeSource,
} from "../../api/generated/core.ts";
import { dns1123Label, dns1123Subdomain } from "../../api/names.ts";
import { invalidEach, validateNoBacksteps } from "../pod/syntax.ts";
import { validateIscsi } from "../pod/validate-volume-iscsi.ts";
import {
  validateAwsElasticBlockStore,
  validateAzureDisk,
  validateCephFs,
  validateCsiDriverName,
  validateFc,
  validateFlexVolume,
  validateFlocker,
  validateGcePersistentDisk,
  validateGlusterfs,
  validateHostPath,
  validateNfs,
  validatePhotonPersistentDisk,
  validatePortworx,
  validateQuobyte,
  validateRbd,
  validateScaleIo,
  validateVsphere,
} from "../pod/validate-volume-storage.ts";

export function validateSource({ metadata, spec }: PersistentVolume): Finding[] {
  const given = SOURCES.filter(({ key }) => spec[key] !== undefined);
  if (given.length === 0) return [required("spec", "must specify a volume type")];
  const detail = "may not specify more than 1 volume type";
  return given.flatMap(({ key, refusedAs, validate }, at) =>
    at === 0 || key === NEVER_ONE_TOO_MANY
      ? validate(spec, metadata.name ?? "")
      : [forbidden(`spec.${refusedAs}`, detail)],
  );
}

/** Kubernetes accepts it in addition to any other source. */
const NEVER_ONE_TOO_MANY = "flexVolume";

interface SourceRule {
  readonly key: keyof PersistentVolumeSource;
  /** The field under which a second source is reported. */
  readonly refusedAs: string;
  readonly validate: (spec: PersistentVolumeSpec, volumeName: string) => Finding[];
}

/** The misspelled names are those in the messages of Kubernetes. */
const SOURCES: readonly SourceRule[] = [
  source("hostPath", validateHostPath),
  source("gcePersistentDisk", validateGcePersistentDisk, { validatedAs: "persistentDisk" }),
  source("awsElasticBlockStore", validateAwsElasticBlockStore),
  source("glusterfs", validateSharedGlusterfs),
  source("flocker", validateFlocker),
  source("nfs", validateNfs),
  source("rbd", validateRbd),
  source("quobyte", validateQuobyte),
  source("cephfs", validateCephFs, { refusedAs: "cephFS" }),
  source("iscsi", (value, path, volumeName) =>
    validateIscsi(value, path, { volumeName, volumePath: "spec", pod: {}, isShared: true }),
  ),
  source("cinder", validateSharedCinder),
  source("fc", validateFc),
  source("flexVolume", validateFlexVolume),
  source("azureFile", validateSharedAzureFile),
  source("vsphereVolume", validateVsphere),
  source("photonPersistentDisk", validatePhotonPersistentDisk),
  source("portworxVolume", validatePortworx),
  source("azureDisk", validateAzureDisk),
  source("scaleIO", validateScaleIo),
  source("local", validateLocal),
  source("storageos", validateSharedStorageOs),
  source("csi", validateSharedCsi),
];

function source<Key extends keyof PersistentVolumeSource>(
  key: Key,
  validate: (
    value: NonNullable<PersistentVolumeSource[Key]>,
    path: string,
    volumeName: string,
    spec: PersistentVolumeSpec,
  ) => Finding[],
  names: { readonly validatedAs?: string; readonly refusedAs?: string } = {},
): SourceRule {
  return {
    key,
    refusedAs: names.refusedAs ?? key,
    validate: (spec, volumeName) => {
      const value: PersistentVolumeSpec[Key] = spec[key];
      if (value === undefined) return [];
      return validate(value, `spec.${names.validatedAs ?? key}`, volumeName, spec);
    },
  };
}

function validateSharedGlusterfs(value: GlusterfsPersistentVolumeSource, path: string): Finding[] {
  const { endpointsNamespace } = value;
  const field = `${path}.endpointsNamespace`;
  if (endpointsNamespace === undefined) return validateGlusterfs(value, path);
  const problems = dns1123Label(endpointsNamespace);
  const detail = "if the endpointnamespace is set, it must be a valid namespace name";
  const ofNamespace =
    endpointsNamespace === ""
      ? [invalid(field, endpointsNamespace, detail)]
      : invalidEach(field, endpointsNamespace, problems);
  return [...validateGlusterfs(value, path), ...ofNamespace];
}

function validateSharedCinder(
  { volumeID, secretRef }: CinderPersistentVolumeSource,
  path: string,
): Finding[] {
  return [
    ...(volumeID === "" ? [required(`${path}.volumeID`)] : []),
    ...requireReference(secretRef, `${path}.secretRef`),
  ];
}

function validateSharedAzureFile(
  { secretName, shareName, secretNamespace }: AzureFilePersistentVolumeSource,
  path: string,
): Finding[] {
  return [
    ...(secretName === "" ? [required(`${path}.secretName`)] : []),
    ...(shareName === "" ? [required(`${path}.shareName`)] : []),
    ...(secretNamespace === "" ? [required(`${path}.secretNamespace`)] : []),
  ];
}

function validateLocal(
  { path: directory }: LocalVolumeSource,
  path: string,
  _volumeName: string,
  { nodeAffinity }: PersistentVolumeSpec,
): Finding[] {
  const ofPath =
    directory === "" ? [required(`${path}.path`)] : validateNoBacksteps(directory, `${path}.path`);
  if (nodeAffinity !== undefined) return ofPath;
  return [...ofPath, required("spec.nodeAffinity", "Local volume requires node affinity")];
}

function validateSharedStorageOs(value: StorageOSPersistentVolumeSource, path: string): Finding[] {
  const { volumeName = "", volumeNamespace = "", secretRef } = value;
  return [
    ...(volumeName === ""
      ? [required(`${path}.volumeName`)]
      : invalidEach(`${path}.volumeName`, volumeName, dns1123Label(volumeName))),
    ...(volumeNamespace === ""
      ? []
      : invalidEach(`${path}.volumeNamespace`, volumeNamespace, dns1123Label(volumeNamespace))),
    ...requireReference(secretRef, `${path}.secretRef`),
  ];
}

function validateSharedCsi(value: CSIPersistentVolumeSource, path: string): Finding[] {
  const findings = validateCsiDriverName(value.driver, `${path}.driver`);
  if (value.volumeHandle === "") findings.push(required(`${path}.volumeHandle`));
  const { controllerPublishSecretRef, controllerExpandSecretRef } = value;
  const { nodePublishSecretRef, nodeExpandSecretRef } = value;
  const references = {
    controllerPublishSecretRef,
    controllerExpandSecretRef,
    nodePublishSecretRef,
    nodeExpandSecretRef,
  };
  for (const [field, reference] of Object.entries(references)) {
    findings.push(...validateSecretReference(reference, `${path}.${field}`));
  }
  return findings;
}

function requireReference(reference: SecretReference | undefined, path: string): Finding[] {
  if (reference === undefined) return [];
  return [
    ...(reference.name ? [] : [required(`${path}.name`)]),
    ...(reference.namespace ? [] : [required(`${path}.namespace`)]),
  ];
}

function validateSecretReference(reference: SecretReference | undefined, path: string): Finding[] {
  if (reference === undefined) return [];
  const { name = "", namespace = "" } = reference;
  return [
    ...(name === ""
      ? [required(`${path}.name`)]
      : invalidEach(`${path}.name`, name, dns1123Subdomain(name))),
    ...(namespace === ""
      ? [required(`${path}.namespace`)]
      : invalidEach(`${path}.namespace`, namespace, dns1123Label(namespace))),
  ];
}
