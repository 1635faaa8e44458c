/** Pure: validates the environment of a container. */
import { type Finding, invalid, notFound, required } from "../../api/finding.ts";
import type {
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  FileKeySelector,
  PodSpec,
} from "../../api/generated/core.ts";
import { dns1123Label, dns1123Subdomain, prefixOf } from "../../api/names.ts";
import { configMapKey, environmentName, invalidEach, validateNoBacksteps } from "./syntax.ts";
import {
  ENVIRONMENT_FIELDS,
  validateFieldRef,
  validateResourceFieldRef,
} from "./validate-field-ref.ts";
import { visitContainers } from "./visit-containers.ts";

export function validateEnv(variables: readonly EnvVar[], path: string): Finding[] {
  return variables.flatMap((variable, at) => {
    const { name, value = "", valueFrom } = variable;
    const field = `${path}[${at}].name`;
    return [
      ...(name === "" ? [required(field)] : invalidEach(field, name, environmentName(name))),
      ...(valueFrom === undefined
        ? []
        : validateValueFrom(valueFrom, { path: `${path}[${at}].valueFrom`, value })),
    ];
  });
}

export function validateEnvFrom(sources: readonly EnvFromSource[], path: string): Finding[] {
  return sources.flatMap(({ prefix = "", configMapRef, secretRef }, at) => {
    const here = `${path}[${at}]`;
    const findings = invalidEach(
      `${here}.prefix`,
      prefix,
      prefix === "" ? [] : environmentName(prefix),
    );
    for (const [field, reference] of Object.entries({ configMapRef, secretRef })) {
      if (reference === undefined) continue;
      findings.push(...validateReferenceName(reference.name ?? "", `${here}.${field}.name`));
    }
    // Problems of an entry are reported under the list.
    if (configMapRef === undefined && secretRef === undefined) {
      findings.push(invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"));
    } else if (configMapRef !== undefined && secretRef !== undefined) {
      findings.push(invalid(path, "", "may not have more than one field specified at a time"));
    }
    return findings;
  });
}

const prefixOfSubdomain = prefixOf(dns1123Subdomain);

function validateReferenceName(name: string, field: string): Finding[] {
  return name === "" ? [required(field)] : invalidEach(field, name, prefixOfSubdomain(name));
}

interface ValuePlace {
  readonly path: string;
  readonly value: string;
}

function validateValueFrom(source: EnvVarSource, { path, value }: ValuePlace): Finding[] {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  const findings: Finding[] = [];
  if (fieldRef) {
    findings.push(...validateFieldRef(fieldRef, ENVIRONMENT_FIELDS, `${path}.fieldRef`));
  }
  if (resourceFieldRef) {
    const place = { field: `${path}.resourceFieldRef`, needsContainer: false };
    findings.push(...validateResourceFieldRef(resourceFieldRef, place));
  }
  if (configMapKeyRef) findings.push(...validateKeyRef(configMapKeyRef, `${path}.configMapKeyRef`));
  if (secretKeyRef) findings.push(...validateKeyRef(secretKeyRef, `${path}.secretKeyRef`));
  if (fileKeyRef) findings.push(...validateFileKeyRef(fileKeyRef, `${path}.fileKeyRef`));
  const sources = Object.values(source).filter((given) => given !== undefined).length;
  if (sources === 0) {
    const list =
      "`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";
    findings.push(invalid(path, "", `must specify one of: ${list}`));
  } else if (value !== "") {
    findings.push(invalid(path, "", "may not be specified when `value` is not empty"));
  } else if (sources > 1) {
    findings.push(invalid(path, "", "may not have more than one field specified at a time"));
  }
  return findings;
}

function validateKeyRef(
  { name = "", key }: { readonly name?: string; readonly key: string },
  path: string,
): Finding[] {
  return [
    ...invalidEach(`${path}.name`, name, dns1123Subdomain(name)),
    ...(key === ""
      ? [required(`${path}.key`)]
      : invalidEach(`${path}.key`, key, configMapKey(key))),
  ];
}

function validateFileKeyRef(
  { volumeName, path: file, key }: FileKeySelector,
  path: string,
): Finding[] {
  return [
    ...(key === ""
      ? [required(`${path}.key`)]
      : invalidEach(`${path}.key`, key, environmentName(key))),
    ...(volumeName === ""
      ? [required(`${path}.volumeName`)]
      : invalidEach(`${path}.volumeName`, volumeName, dns1123Label(volumeName))),
    ...(file === "" ? [required(`${path}.path`)] : validateNoBacksteps(file, `${path}.path`)),
  ];
}

/** The file must be in an emptyDir, so that only the pod can have written it. */
export function validateFileVolumes(spec: PodSpec, path: string): Finding[] {
  const volumes = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]));
  return visitContainers(spec, path).flatMap(({ container, path: here }) =>
    (container.env ?? []).flatMap(({ valueFrom }, at) => {
      if (valueFrom?.fileKeyRef === undefined) return [];
      const { volumeName } = valueFrom.fileKeyRef;
      const field = `${here}.env[${at}].valueFrom.fileKeyRef.volumeName`;
      const volume = volumes.get(volumeName);
      if (volume === undefined) return [notFound(field, volumeName)];
      if (volume.emptyDir !== undefined) return [];
      return [invalid(field, volumeName, "referenced volume must be of type emptyDir")];
    }),
  );
}
