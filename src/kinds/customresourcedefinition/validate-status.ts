/** Pure: what a definition may say of itself. */
import { type Finding, invalid } from "../../api/finding.ts";
import type { CustomResourceDefinition } from "../../api/generated/apiextensions.ts";
import { validateNames } from "./validate-names.ts";

export function validateStatus({ spec, status }: CustomResourceDefinition): Finding[] {
  const path = "status.storedVersions";
  const stored = status.storedVersions ?? [];
  const versions = spec.versions ?? [];
  if (stored.length === 0) {
    const problem = "must have at least one stored version";
    return [
      ...validateNames(status.acceptedNames, "status.acceptedNames"),
      invalid(path, stored, problem),
    ];
  }
  const missing = stored.flatMap((name, at) => {
    if (versions.some((version) => version.name === name)) return [];
    const problem =
      `missing from spec.versions; ${name} was previously a storage version, and must remain in ` +
      `spec.versions until a storage migration ensures no data remains persisted in ${name} and ` +
      `removes ${name} from status.storedVersions`;
    return [invalid(`${path}[${at}]`, name, problem)];
  });
  const current = versions.find(({ storage }) => storage)?.name;
  const isNamed = current === undefined || stored.includes(current);
  return [
    ...validateNames(status.acceptedNames, "status.acceptedNames"),
    ...missing,
    ...(isNamed ? [] : [invalid(path, stored, `must have the storage version ${current}`)]),
  ];
}
