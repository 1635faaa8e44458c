/** Pure: validates the status of a definition. */
import { type Finding, invalid } from "../../api/finding.ts";
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
} from "../../api/generated/apiextensions.ts";
import { validateNames } from "./validate-names.ts";

export function validateStatus({ spec, status }: CustomResourceDefinition): Finding[] {
  return [
    ...validateNames(status.acceptedNames, "status.acceptedNames"),
    ...validateStored(status.storedVersions ?? null, spec.versions ?? []),
  ];
}

function validateStored(
  stored: readonly string[] | null,
  versions: readonly CustomResourceDefinitionVersion[],
): Finding[] {
  const path = "status.storedVersions";
  if (!stored?.length) return [invalid(path, stored, "must have at least one stored version")];
  const left = new Map(stored.map((name, at) => [name, at]));
  const findings: Finding[] = [];
  for (const { name, storage } of versions) {
    if (storage && !left.has(name)) {
      findings.push(invalid(path, stored, `must have the storage version ${name}`));
    }
    left.delete(name);
  }
  for (const [name, at] of left) {
    const problem =
      `missing from spec.versions; ${name} was previously a storage version, and must remain in ` +
      `spec.versions until a storage migration ensures no data remains persisted in ${name} and ` +
      `removes ${name} from status.storedVersions`;
    findings.push(invalid(`${path}[${at}]`, name, problem));
  }
  return findings;
}
