/** Pure: validates volumes with files from the API server: secrets, config maps, pod fields. */
import { type Finding, forbidden, invalid, required } from "../../api/finding.ts";
import type {
  ConfigMapVolumeSource,
  DownwardAPIVolumeFile,
  DownwardAPIVolumeSource,
  KeyToPath,
  ProjectedVolumeSource,
  SecretVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from "../../api/generated/core.ts";
import { validateFileMode, validateUnreservedPath } from "./syntax.ts";
import { VOLUME_FIELDS, validateFieldRef, validateResourceFieldRef } from "./validate-field-ref.ts";

const TOKEN_SECONDS_MIN = 10 * 60;
const TOKEN_SECONDS_MAX = 2 ** 32;

export function validateSecret(source: SecretVolumeSource, path: string): Finding[] {
  const { secretName = "", defaultMode, items = [] } = source;
  return [
    ...(secretName === "" ? [required(`${path}.secretName`)] : []),
    ...validateFileMode(defaultMode, `${path}.defaultMode`),
    ...items.flatMap((item, at) => validateKeyToPath(item, `${path}.items[${at}]`)),
  ];
}

export function validateConfigMap(source: ConfigMapVolumeSource, path: string): Finding[] {
  const { name = "", defaultMode, items = [] } = source;
  return [
    ...(name === "" ? [required(`${path}.name`)] : []),
    ...validateFileMode(defaultMode, `${path}.defaultMode`),
    ...items.flatMap((item, at) => validateKeyToPath(item, `${path}.items[${at}]`)),
  ];
}

/** Problems of its files are reported under the volume itself, without an index. */
export function validateDownwardApi(source: DownwardAPIVolumeSource, path: string): Finding[] {
  return [
    ...validateFileMode(source.defaultMode, `${path}.defaultMode`),
    ...(source.items ?? []).flatMap((file) => validateDownwardApiFile(file, path)),
  ];
}

export function validateProjected(source: ProjectedVolumeSource, path: string): Finding[] {
  const findings = validateFileMode(source.defaultMode, `${path}.defaultMode`);
  const taken = new Set<string>();
  for (const [at, projection] of (source.sources ?? []).entries()) {
    findings.push(...validateProjection(projection, { path, at }, taken));
  }
  return findings;
}

interface ProjectionPlace {
  readonly path: string;
  readonly at: number;
}

function validateProjection(
  projection: VolumeProjection,
  { path, at }: ProjectionPlace,
  taken: Set<string>,
): Finding[] {
  const sourcePath = `${path}.sources[${at}]`;
  const { secret, configMap, downwardAPI, serviceAccountToken } = projection;
  const findings: Finding[] = [];
  for (const [field, named] of Object.entries({ secret, configMap })) {
    if (named === undefined) continue;
    const { name = "", items = [] } = named;
    const namedPath = `${sourcePath}.${field}`;
    if (name === "") findings.push(required(`${namedPath}.name`));
    for (const [index, item] of items.entries()) {
      findings.push(...validateKeyToPath(item, `${namedPath}.items[${index}]`));
      findings.push(...takePath(item.path, { path, shown: name }, taken));
    }
  }
  for (const file of downwardAPI?.items ?? []) {
    findings.push(...validateDownwardApiFile(file, `${sourcePath}.downwardAPI`));
    findings.push(...takePath(file.path, { path, shown: file.path }, taken));
  }
  if (serviceAccountToken !== undefined) {
    findings.push(...validateToken(serviceAccountToken, path, `${sourcePath}.serviceAccountToken`));
  }
  if (Object.values(projection).filter((value) => value !== undefined).length > 1) {
    findings.push(forbidden(sourcePath, "may not specify more than 1 volume type per source"));
  }
  return findings;
}

function takePath(
  file: string,
  { path, shown }: { readonly path: string; readonly shown: string },
  taken: Set<string>,
): Finding[] {
  if (file === "") return [];
  if (taken.has(file)) return [invalid(path, shown, "conflicting duplicate paths")];
  taken.add(file);
  return [];
}

function validateToken(
  token: ServiceAccountTokenProjection,
  volumePath: string,
  path: string,
): Finding[] {
  const findings: Finding[] = [];
  const { expirationSeconds = 0 } = token;
  if (expirationSeconds < TOKEN_SECONDS_MIN) {
    const detail = "may not specify a duration less than 10 minutes";
    findings.push(invalid(`${path}.expirationSeconds`, expirationSeconds, detail));
  }
  if (expirationSeconds > TOKEN_SECONDS_MAX) {
    const detail = "may not specify a duration larger than 2^32 seconds";
    findings.push(invalid(`${path}.expirationSeconds`, expirationSeconds, detail));
  }
  if (token.path === "") findings.push(required(`${volumePath}.path`));
  else findings.push(...validateUnreservedPath(token.path, `${volumePath}.path`));
  return findings;
}

function validateKeyToPath({ key, path: file, mode }: KeyToPath, path: string): Finding[] {
  return [
    ...(key === "" ? [required(`${path}.key`)] : []),
    ...(file === "" ? [required(`${path}.path`)] : []),
    ...validateUnreservedPath(file, `${path}.path`),
    ...validateFileMode(mode, `${path}.mode`),
  ];
}

function validateDownwardApiFile(file: DownwardAPIVolumeFile, path: string): Finding[] {
  const findings = [
    ...(file.path === "" ? [required(`${path}.path`)] : []),
    ...validateUnreservedPath(file.path, `${path}.path`),
  ];
  const { fieldRef, resourceFieldRef } = file;
  if (fieldRef !== undefined) {
    findings.push(...validateFieldRef(fieldRef, VOLUME_FIELDS, `${path}.fieldRef`));
    if (resourceFieldRef !== undefined) {
      const detail = "fieldRef and resourceFieldRef can not be specified simultaneously";
      findings.push(invalid(path, "resource", detail));
    }
  } else if (resourceFieldRef !== undefined) {
    const place = { field: `${path}.resourceFieldRef`, needsContainer: true };
    findings.push(...validateResourceFieldRef(resourceFieldRef, place));
  } else {
    findings.push(required(path, "one of fieldRef and resourceFieldRef is required"));
  }
  return [...findings, ...validateFileMode(file.mode, `${path}.mode`)];
}
