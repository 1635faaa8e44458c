/** Pure: validates rules and subjects, with the messages of Kubernetes. */
import { type Finding, invalid, notSupported, required } from "../../api/finding.ts";
import type { PolicyRule, RoleRef, Subject } from "../../api/generated/rbac.ts";
import { dns1123Subdomain, pathSegment } from "../../api/names.ts";

export const RBAC_GROUP = "rbac.authorization.k8s.io";

export function validateRules(rules: readonly PolicyRule[] | null, namespaced: boolean): Finding[] {
  return (rules ?? []).flatMap((rule, at) => validateRule(rule, namespaced, `rules[${at}]`));
}

function validateRule(rule: PolicyRule, namespaced: boolean, path: string): Finding[] {
  const { verbs, nonResourceURLs = [], apiGroups = [], resources = [], resourceNames = [] } = rule;
  const findings: Finding[] = [];
  if ((verbs ?? []).length === 0) {
    findings.push(required(`${path}.verbs`, "verbs must contain at least one value"));
  }
  if (nonResourceURLs.length > 0) {
    const where = `${path}.nonResourceURLs`;
    if (namespaced) {
      const detail = "namespaced rules cannot apply to non-resource URLs";
      findings.push(invalid(where, nonResourceURLs, detail));
    }
    if (apiGroups.length + resources.length + resourceNames.length > 0) {
      const detail = "rules cannot apply to both regular resources and non-resource URLs";
      findings.push(invalid(where, nonResourceURLs, detail));
    }
    return findings;
  }
  if (apiGroups.length === 0) {
    const detail = "resource rules must supply at least one api group";
    findings.push(required(`${path}.apiGroups`, detail));
  }
  if (resources.length === 0) {
    const detail = "resource rules must supply at least one resource";
    findings.push(required(`${path}.resources`, detail));
  }
  return findings;
}

export function validateRoleRef(
  { apiGroup, kind, name }: RoleRef,
  kinds: readonly string[],
): Finding[] {
  const findings: Finding[] = [];
  if (apiGroup !== RBAC_GROUP) {
    findings.push(notSupported("roleRef.apiGroup", apiGroup, [RBAC_GROUP]));
  }
  if (!kinds.includes(kind)) findings.push(notSupported("roleRef.kind", kind, kinds));
  if (name === "") findings.push(required("roleRef.name"));
  else findings.push(...pathSegment(name).map((rule) => invalid("roleRef.name", name, rule)));
  return findings;
}

/** The message shows the reference in the format of Kubernetes' internal type. */
export function validateSameRole(next: RoleRef, old: RoleRef): Finding[] {
  const { apiGroup, kind, name } = next;
  if (apiGroup === old.apiGroup && kind === old.kind && name === old.name) return [];
  const shown = { APIGroup: apiGroup, Kind: kind, Name: name };
  return [invalid("roleRef", shown, "cannot change roleRef")];
}

export function validateSubjects(
  subjects: readonly Subject[] | undefined,
  namespaced: boolean,
): Finding[] {
  return (subjects ?? []).flatMap((subject, at) =>
    validateSubject(subject, namespaced, `subjects[${at}]`),
  );
}

const SUBJECT_KINDS = ["ServiceAccount", "User", "Group"];

function validateSubject(subject: Subject, namespaced: boolean, path: string): Finding[] {
  const { kind, name, apiGroup = "", namespace = "" } = subject;
  const findings: Finding[] = name === "" ? [required(`${path}.name`)] : [];
  switch (kind) {
    case "ServiceAccount":
      if (name !== "") {
        findings.push(...dns1123Subdomain(name).map((rule) => invalid(`${path}.name`, name, rule)));
      }
      if (apiGroup !== "") findings.push(notSupported(`${path}.apiGroup`, apiGroup, [""]));
      if (!namespaced && namespace === "") findings.push(required(`${path}.namespace`));
      return findings;
    case "User":
    case "Group":
      if (apiGroup !== RBAC_GROUP) {
        findings.push(notSupported(`${path}.apiGroup`, apiGroup, [RBAC_GROUP]));
      }
      return findings;
    default:
      return [...findings, notSupported(`${path}.kind`, kind, SUBJECT_KINDS)];
  }
}
