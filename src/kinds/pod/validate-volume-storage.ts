/** Pure: validates volumes outside the API: of the node, the network and cloud providers. */
import { type Finding, invalid, notSupported, required, tooLong } from "../../api/finding.ts";
import type {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  AzureFileVolumeSource,
  CephFSVolumeSource,
  CinderVolumeSource,
  CSIVolumeSource,
  FCVolumeSource,
  FlexVolumeSource,
  FlockerVolumeSource,
  GCEPersistentDiskVolumeSource,
  GitRepoVolumeSource,
  GlusterfsVolumeSource,
  HostPathVolumeSource,
  LocalObjectReference,
  NFSVolumeSource,
  PersistentVolumeClaimVolumeSource,
  PhotonPersistentDiskVolumeSource,
  PortworxVolumeSource,
  QuobyteVolumeSource,
  RBDVolumeSource,
  ScaleIOVolumeSource,
  StorageOSVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from "../../api/generated/core.ts";
import { dns1123Label, dns1123Subdomain } from "../../api/names.ts";
import {
  inclusiveRange,
  invalidEach,
  validateDescendingPath,
  validateNoBacksteps,
} from "./syntax.ts";

const HOST_PATH_TYPES = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

export function validateHostPath({ path, type }: HostPathVolumeSource, at: string): Finding[] {
  if (path === "") return [required(`${at}.path`)];
  const findings = validateNoBacksteps(path, `${at}.path`);
  if (type === undefined || HOST_PATH_TYPES.includes(type)) return findings;
  return [...findings, notSupported(`${at}.type`, type, HOST_PATH_TYPES)];
}

export function validateGitRepo(source: GitRepoVolumeSource, path: string): Finding[] {
  return [
    ...requireEach({ repository: source.repository }, path),
    ...validateDescendingPath(source.directory ?? "", `${path}.directory`),
  ];
}

export function validateGcePersistentDisk(
  { pdName, partition }: GCEPersistentDiskVolumeSource,
  path: string,
): Finding[] {
  return [...requireEach({ pdName }, path), ...validatePartition(partition, path)];
}

export function validateAwsElasticBlockStore(
  { volumeID, partition }: AWSElasticBlockStoreVolumeSource,
  path: string,
): Finding[] {
  return [...requireEach({ volumeID }, path), ...validatePartition(partition, path)];
}

export function validateNfs({ server, path }: NFSVolumeSource, at: string): Finding[] {
  const findings = requireEach({ server, path }, at);
  if (path.startsWith("/")) return findings;
  return [...findings, invalid(`${at}.path`, path, "must be an absolute path")];
}

export function validateGlusterfs(
  { endpoints, path }: GlusterfsVolumeSource,
  at: string,
): Finding[] {
  return requireEach({ endpoints, path }, at);
}

export function validateFlocker(source: FlockerVolumeSource, path: string): Finding[] {
  const { datasetName = "", datasetUUID = "" } = source;
  const findings: Finding[] = [];
  if (datasetName === "" && datasetUUID === "") {
    findings.push(required(path, "one of datasetName and datasetUUID is required"));
  }
  if (datasetName !== "" && datasetUUID !== "") {
    const detail = "datasetName and datasetUUID can not be specified simultaneously";
    findings.push(invalid(path, "resource", detail));
  }
  if (datasetName.includes("/")) {
    findings.push(invalid(`${path}.datasetName`, datasetName, "must not contain '/'"));
  }
  return findings;
}

export function validatePersistentVolumeClaim(
  { claimName }: PersistentVolumeClaimVolumeSource,
  path: string,
): Finding[] {
  return requireEach({ claimName }, path);
}

export function validateRbd({ monitors, image }: RBDVolumeSource, path: string): Finding[] {
  return [...requireMonitors(monitors, path), ...requireEach({ image }, path)];
}

export function validateCinder(source: CinderVolumeSource, path: string): Finding[] {
  const { volumeID, secretRef } = source;
  return [...requireEach({ volumeID }, path), ...requireName(secretRef, `${path}.secretRef`)];
}

export function validateCephFs({ monitors }: CephFSVolumeSource, path: string): Finding[] {
  return requireMonitors(monitors, path);
}

const REGISTRY_RULE = "must be a host:port pair or multiple pairs separated by commas";

export function validateQuobyte(source: QuobyteVolumeSource, path: string): Finding[] {
  const { registry, tenant = "", volume } = source;
  const findings: Finding[] = [];
  if (registry === "") findings.push(required(`${path}.registry`, REGISTRY_RULE));
  else if (tenant.length >= 65) {
    const detail = "must be a UUID and may not exceed a length of 64 characters";
    findings.push(required(`${path}.tenant`, detail));
  } else {
    const malformed = countMalformed(registry);
    // Made once: the whole registry is part of the message.
    if (malformed > 0) {
      const wrong = invalid(`${path}.registry`, registry, REGISTRY_RULE);
      for (let told = 0; told < malformed; told++) findings.push(wrong);
    }
  }
  return [...findings, ...requireEach({ volume }, path)];
}

/** More are not told: an answer names fewer mistakes. */
const MOST_MALFORMED = 10_000;

function countMalformed(registry: string): number {
  let malformed = 0;
  for (let from = 0; from <= registry.length && malformed < MOST_MALFORMED; ) {
    const comma = registry.indexOf(",", from);
    const to = comma < 0 ? registry.length : comma;
    if (!HOST_PORT.test(registry.slice(from, to))) malformed += 1;
    from = to + 1;
  }
  return malformed;
}

const HOST_PORT = /^(\[[^\]]*\]|[^:[\]]*):[^:[\]]*$/;

export function validateFc(source: FCVolumeSource, path: string): Finding[] {
  const { targetWWNs = [], wwids = [], lun } = source;
  const findings: Finding[] = [];
  const field = `${path}.targetWWNs`;
  if (targetWWNs.length === 0 && wwids.length === 0) {
    findings.push(required(field, "must specify either targetWWNs or wwids, but not both"));
  }
  if (targetWWNs.length > 0 && wwids.length > 0) {
    const detail = "targetWWNs and wwids can not be specified simultaneously";
    findings.push(invalid(field, targetWWNs, detail));
  }
  if (targetWWNs.length === 0) return findings;
  if (lun === undefined) {
    findings.push(required(`${path}.lun`, "lun is required if targetWWNs is specified"));
  } else if (lun < 0 || lun > 255) {
    findings.push(invalid(`${path}.lun`, lun, inclusiveRange(0, 255)));
  }
  return findings;
}

export function validateFlexVolume({ driver, options }: FlexVolumeSource, path: string): Finding[] {
  const reserved = Object.keys(options ?? {}).filter((key) => {
    const namespace = key.split("/", 1)[0] ?? "";
    return /\.(kubernetes|k8s)\.io$/.test(`.${namespace.toLowerCase()}`);
  });
  const detail = "kubernetes.io and k8s.io namespaces are reserved";
  return [
    ...requireEach({ driver }, path),
    ...reserved.map((key) => invalid(`${path}.options[${key}]`, key, detail)),
  ];
}

export function validateAzureFile(
  { secretName, shareName }: AzureFileVolumeSource,
  path: string,
): Finding[] {
  return requireEach({ secretName, shareName }, path);
}

export function validateVsphere(
  { volumePath }: VsphereVirtualDiskVolumeSource,
  path: string,
): Finding[] {
  return requireEach({ volumePath }, path);
}

export function validatePhotonPersistentDisk(
  { pdID }: PhotonPersistentDiskVolumeSource,
  path: string,
): Finding[] {
  return requireEach({ pdID }, path);
}

export function validatePortworx({ volumeID }: PortworxVolumeSource, path: string): Finding[] {
  return requireEach({ volumeID }, path);
}

const AZURE_CACHING_MODES = ["None", "ReadOnly", "ReadWrite"];
const AZURE_KINDS = ["Dedicated", "Managed", "Shared"];
const AZURE_MANAGED_URI =
  "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const AZURE_BLOB_URI =
  "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";

export function validateAzureDisk(source: AzureDiskVolumeSource, path: string): Finding[] {
  const { diskName, diskURI, cachingMode, kind } = source;
  const findings = requireEach({ diskName, diskURI }, path);
  if (cachingMode !== undefined && !AZURE_CACHING_MODES.includes(cachingMode)) {
    findings.push(notSupported(`${path}.cachingMode`, cachingMode, AZURE_CACHING_MODES));
  }
  if (kind === undefined) return findings;
  if (!AZURE_KINDS.includes(kind)) {
    findings.push(notSupported(`${path}.kind`, kind, AZURE_KINDS));
  }
  const [prefix, shape] =
    kind === "Managed" ? ["/subscriptions/", AZURE_MANAGED_URI] : ["https://", AZURE_BLOB_URI];
  if (!diskURI.startsWith(prefix)) {
    findings.push(notSupported(`${path}.diskURI`, diskURI, [shape]));
  }
  return findings;
}

export function validateStorageOs(source: StorageOSVolumeSource, path: string): Finding[] {
  const { volumeName = "", volumeNamespace = "", secretRef } = source;
  const ofNamespace = volumeNamespace === "" ? [] : dns1123Label(volumeNamespace);
  return [
    ...(volumeName === ""
      ? [required(`${path}.volumeName`)]
      : invalidEach(`${path}.volumeName`, volumeName, dns1123Label(volumeName))),
    ...invalidEach(`${path}.volumeNamespace`, volumeNamespace, ofNamespace),
    ...requireName(secretRef, `${path}.secretRef`),
  ];
}

export function validateScaleIo(source: ScaleIOVolumeSource, path: string): Finding[] {
  const { gateway, system, volumeName = "" } = source;
  return requireEach({ gateway, system, volumeName }, path);
}

export function validateCsi(source: CSIVolumeSource, path: string): Finding[] {
  const findings = validateCsiDriverName(source.driver, `${path}.driver`);
  const { nodePublishSecretRef } = source;
  if (nodePublishSecretRef === undefined) return findings;
  const { name = "" } = nodePublishSecretRef;
  if (name === "") return [...findings, required(`${path}.nodePublishSecretRef.name`)];
  return [...findings, ...invalidEach(`${path}.name`, name, dns1123Subdomain(name))];
}

/** The name of a driver is a domain name, in letters of any case. */
export function validateCsiDriverName(driver: string, field: string): Finding[] {
  if (driver === "") return [required(field)];
  const long = driver.length > 63 ? [tooLong(field, 63)] : [];
  return [...long, ...invalidEach(field, driver, dns1123Subdomain(driver.toLowerCase()))];
}

function requireEach(fields: { readonly [field: string]: string }, path: string): Finding[] {
  const empty = Object.entries(fields).filter(([, value]) => value === "");
  return empty.map(([field]) => required(`${path}.${field}`));
}

function requireMonitors(monitors: readonly string[] | null, path: string): Finding[] {
  return (monitors ?? []).length === 0 ? [required(`${path}.monitors`)] : [];
}

function requireName(reference: LocalObjectReference | undefined, path: string): Finding[] {
  if (reference === undefined) return [];
  return requireEach({ name: reference.name ?? "" }, path);
}

function validatePartition(partition = 0, path: string): Finding[] {
  if (partition >= 0 && partition <= 255) return [];
  // The range in Kubernetes' message differs from the one it checks: zero means the whole disk.
  return [invalid(`${path}.partition`, partition, inclusiveRange(1, 255))];
}
