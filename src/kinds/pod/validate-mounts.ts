/** Pure: validates where a container mounts the volumes of its pod. */
import {
  type Finding,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
} from "../../api/finding.ts";
import type {
  Container,
  VolumeDevice,
  VolumeMount,
  VolumeSource,
} from "../../api/generated/core.ts";
import { validateDescendingPath, validateNoBacksteps } from "./syntax.ts";

type Volumes = ReadonlyMap<string, VolumeSource>;
type Mounting = Pick<Container, "volumeMounts" | "volumeDevices" | "securityContext">;

export function validateVolumeMounts(
  container: Mounting,
  path: string,
  volumes: Volumes,
): Finding[] {
  const { volumeMounts = [], volumeDevices = [] } = container;
  const mounted = new Set<string>();
  return volumeMounts.flatMap((mount, at) => {
    const { name, mountPath } = mount;
    const here = `${path}[${at}]`;
    const findings: Finding[] = [];
    if (name === "") findings.push(required(`${here}.name`));
    if (!volumes.has(name)) findings.push(notFound(`${here}.name`, name));
    if (mountPath === "") findings.push(required(`${here}.mountPath`));
    if (mounted.has(mountPath)) {
      findings.push(invalid(`${here}.mountPath`, mountPath, "must be unique"));
    }
    mounted.add(mountPath);
    if (volumeDevices.some((device) => device.name === name)) {
      const detail = "must not already exist in volumeDevices";
      findings.push(invalid(`${here}.name`, name, detail));
    }
    if (volumeDevices.some((device) => device.devicePath === mountPath)) {
      const detail = "must not already exist as a path in volumeDevices";
      findings.push(invalid(`${here}.mountPath`, mountPath, detail));
    }
    return [...findings, ...validateMountOptions(mount, here, path, container)];
  });
}

/** Kubernetes reports most of these under the list, without an index. */
function validateMountOptions(
  mount: VolumeMount,
  here: string,
  path: string,
  container: Mounting,
): Finding[] {
  const { subPath = "", subPathExpr = "", mountPropagation } = mount;
  const findings = validateDescendingPath(subPath, `${path}.subPath`);
  if (subPath !== "" && subPathExpr !== "") {
    const detail = "subPathExpr and subPath are mutually exclusive";
    findings.push(invalid(`${here}.subPathExpr`, subPathExpr, detail));
  }
  findings.push(...validateDescendingPath(subPathExpr, `${path}.subPathExpr`));
  if (mountPropagation !== undefined) {
    const isPrivileged = container.securityContext?.privileged === true;
    const field = `${path}.mountPropagation`;
    findings.push(...validateMountPropagation(mountPropagation, field, isPrivileged));
  }
  return [...findings, ...validateRecursiveReadOnly(mount, `${path}.recursiveReadOnly`)];
}

const PROPAGATIONS = ["Bidirectional", "HostToContainer", "None"];

function validateMountPropagation(
  propagation: string,
  field: string,
  isPrivileged: boolean,
): Finding[] {
  if (!PROPAGATIONS.includes(propagation)) {
    return [notSupported(field, propagation, PROPAGATIONS)];
  }
  if (propagation !== "Bidirectional" || isPrivileged) return [];
  const detail = "Bidirectional mount propagation is available only to privileged containers";
  return [forbidden(field, detail)];
}

const RECURSIVE_READ_ONLY = ["Disabled", "Enabled", "IfPossible"];

function validateRecursiveReadOnly(mount: VolumeMount, field: string): Finding[] {
  const { recursiveReadOnly, readOnly, mountPropagation = "None" } = mount;
  if (recursiveReadOnly === undefined || recursiveReadOnly === "Disabled") return [];
  if (!RECURSIVE_READ_ONLY.includes(recursiveReadOnly)) {
    return [notSupported(field, recursiveReadOnly, RECURSIVE_READ_ONLY)];
  }
  const findings: Finding[] = [];
  if (!readOnly) findings.push(forbidden(field, "may only be specified when readOnly is true"));
  if (mountPropagation !== "None") {
    const detail = "may only be specified when mountPropagation is None or not specified";
    findings.push(forbidden(field, detail));
  }
  return findings;
}

/** Devices are volumes without a file system, which only claims can provide. */
export function validateVolumeDevices(
  container: Mounting,
  path: string,
  volumes: Volumes,
): Finding[] {
  const { volumeMounts = [], volumeDevices = [] } = container;
  const names = new Set<string>();
  const paths = new Set<string>();
  return volumeDevices.flatMap((device, at) => {
    const here = `${path}[${at}]`;
    const findings = [
      ...validateDeviceName(device, `${here}.name`, volumes, names),
      ...validateDevicePath(device, `${here}.devicePath`, paths),
    ];
    if (volumeMounts.some((mount) => mount.name === device.name)) {
      const detail = "must not already exist in volumeMounts";
      findings.push(invalid(`${here}.name`, device.name, detail));
    }
    if (volumeMounts.some((mount) => mount.mountPath === device.devicePath)) {
      const detail = "must not already exist as a path in volumeMounts";
      findings.push(invalid(`${here}.devicePath`, device.devicePath, detail));
    }
    return findings;
  });
}

function validateDeviceName(
  { name }: VolumeDevice,
  field: string,
  volumes: Volumes,
  seen: Set<string>,
): Finding[] {
  const findings: Finding[] = [];
  if (name === "") findings.push(required(field));
  if (seen.has(name)) findings.push(invalid(field, name, "must be unique"));
  if (name !== "") seen.add(name);
  const volume = volumes.get(name);
  if (volume === undefined) return [...findings, notFound(field, name)];
  if (volume.persistentVolumeClaim || volume.ephemeral) return findings;
  const detail =
    "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
  return [...findings, invalid(field, name, detail)];
}

function validateDevicePath(
  { devicePath }: VolumeDevice,
  field: string,
  seen: Set<string>,
): Finding[] {
  const findings: Finding[] = [];
  if (devicePath === "") findings.push(required(field));
  if (seen.has(devicePath)) findings.push(invalid(field, devicePath, "must be unique"));
  if (validateNoBacksteps(devicePath, field).length > 0) {
    findings.push(invalid(field, devicePath, "can not contain backsteps ('..')"));
  } else {
    seen.add(devicePath);
  }
  return findings;
}
