/**
 * Pure: validates where volumes of a class may be provisioned: terms of labels, without duplicates.
 */
import { duplicate, type Finding, invalid, required } from "../../api/finding.ts";
import type {
  TopologySelectorLabelRequirement,
  TopologySelectorTerm,
} from "../../api/generated/core.ts";
import { qualifiedName } from "../../api/names.ts";
import { repetitions } from "../../api/repetitions.ts";

export function validateTopologies(terms: readonly TopologySelectorTerm[]): Finding[] {
  // An empty term is equivalent to a missing one.
  const seen = new Set([meaningOf([])]);
  return terms.flatMap(({ matchLabelExpressions }, at) => {
    const requirements = matchLabelExpressions ?? [];
    const path = `allowedTopologies[${at}].matchLabelExpressions`;
    const findings = validateRequirements(requirements, path);
    const meaning = meaningOf(requirements);
    if (seen.has(meaning)) findings.push(duplicate(path, ""));
    seen.add(meaning);
    return findings;
  });
}

function meaningOf(requirements: readonly TopologySelectorLabelRequirement[]): string {
  const byKey = new Map(requirements.map(({ key, values }) => [key, distinct(values)]));
  return JSON.stringify([...byKey].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function distinct(values: readonly string[] | null): string[] {
  return [...new Set(values ?? [])].sort();
}

function validateRequirements(
  requirements: readonly TopologySelectorLabelRequirement[],
  path: string,
): Finding[] {
  const repeated = repetitions(requirements.map(({ key }) => key));
  return requirements.flatMap(({ key, values }, at) => {
    const place = `${path}[${at}]`;
    const given = values ?? [];
    const again = [...repetitions(given)];
    return [
      ...(given.length === 0 ? [required(`${place}.values`)] : []),
      ...again.map((index) => duplicate(`${place}.values[${index}]`, given[index])),
      ...qualifiedName(key).map((problem) => invalid(`${place}.key`, key, problem)),
      ...(repeated.has(at) ? [duplicate(`${place}.key`, key)] : []),
    ];
  });
}
