/** Pure: validates the volumes of a pod: their names, and that each has exactly one source. */
import { duplicate, type Finding, forbidden, invalid, required } from "../../api/finding.ts";
import type { Volume, VolumeSource } from "../../api/generated/core.ts";
import { dns1123Label } from "../../api/names.ts";
import { invalidEach } from "./syntax.ts";
import type { PodIdentity } from "./volume-place.ts";
import { VOLUME_SOURCES } from "./volume-sources.ts";

export interface CheckedVolumes {
  readonly findings: readonly Finding[];
  /** By name. Only these may be mounted. */
  readonly valid: ReadonlyMap<string, VolumeSource>;
}

export function validateVolumes(
  volumes: readonly Volume[],
  path: string,
  pod: PodIdentity,
): CheckedVolumes {
  const findings: Finding[] = [];
  const valid = new Map<string, VolumeSource>();
  const created = createdClaims(volumes, pod.podName);
  for (const [at, volume] of volumes.entries()) {
    const volumePath = `${path}[${at}]`;
    const found = [
      ...validateSource(volume, volumePath, pod),
      ...validateVolumeName(volume.name, `${volumePath}.name`),
    ];
    if (valid.has(volume.name)) found.push(duplicate(`${volumePath}.name`, volume.name));
    if (found.length === 0) valid.set(volume.name, volume);
    findings.push(...found);
    const claimName = volume.persistentVolumeClaim?.claimName ?? "";
    if (created.has(claimName)) {
      const detail = "must not reference a PVC that gets created for an ephemeral volume";
      findings.push(invalid(`${volumePath}.persistentVolumeClaim.claimName`, claimName, detail));
    }
  }
  return { findings, valid };
}

function createdClaims(volumes: readonly Volume[], podName = ""): ReadonlySet<string> {
  if (podName === "") return new Set();
  const ephemeral = volumes.filter((volume) => volume.ephemeral !== undefined);
  return new Set(ephemeral.map((volume) => `${podName}-${volume.name}`));
}

function validateVolumeName(name: string, field: string): Finding[] {
  return name === "" ? [required(field)] : invalidEach(field, name, dns1123Label(name));
}

function validateSource(volume: Volume, path: string, pod: PodIdentity): Finding[] {
  const findings: Finding[] = [];
  let sources = 0;
  for (const { key, refusedAs, validate } of VOLUME_SOURCES) {
    if (volume[key] === undefined) continue;
    if (++sources > 1) {
      findings.push(forbidden(`${path}.${refusedAs}`, "may not specify more than 1 volume type"));
    } else {
      findings.push(...validate(volume, path, pod));
    }
  }
  return sources > 0 ? findings : [required(path, "must specify a volume type")];
}
