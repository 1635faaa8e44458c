/** Pure: ResourceQuotas: how much a namespace may use. */
import { type Finding, invalid } from "../../api/finding.ts";
import type { ResourceQuota, ResourceQuotaSpec } from "../../api/generated/core.ts";
import { dns1123Subdomain, qualifiedName } from "../../api/names.ts";
import type { Draft } from "../../api/object.ts";
import { formatQuantity, getQuantity, roundUpToMilli } from "../../api/quantity.ts";
import { defineKind } from "../kind.ts";
import { ageColumn, column, nameColumn } from "../meta/columns.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "../meta/object-meta.ts";
import { invalidEach } from "../pod/syntax.ts";
import { validateResourceAmount } from "../pod/validate-resources.ts";
import { age } from "../print/age.ts";

const COMPUTE = ["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];
const QUOTA_RESOURCES: ReadonlySet<string> = new Set([
  ...COMPUTE,
  "ephemeral-storage",
  "requests.ephemeral-storage",
  "limits.ephemeral-storage",
  "requests.storage",
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "persistentvolumeclaims",
  "configmaps",
  "services.nodeports",
  "services.loadbalancers",
]);
const POD_SCOPES = [
  "Terminating",
  "NotTerminating",
  "NotBestEffort",
  "PriorityClass",
  "CrossNamespacePodAffinity",
];
const CONFLICTS = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
];

export const resourceQuotaKind = defineKind<ResourceQuota>({
  group: "",
  version: "v1",
  kind: "ResourceQuota",
  resource: "resourcequotas",
  singular: "resourcequota",
  namespaced: true,
  shortNames: ["quota"],
  message: "core/v1.ResourceQuota",
  subresources: [{ name: "status", verbs: ["get", "patch", "update"] }],
  rules: { setDefaults, prepareForCreate, validate, validateUpdate, validateStatusUpdate },
  deletion: { returnsObject: true },
  columns: [
    nameColumn,
    column("Request", "What is used and allowed of everything but limits."),
    column("Limit", "What is used and allowed of limits."),
    ageColumn,
  ],
  cells: (quota, now) => [
    quota.metadata.name ?? "",
    formatUse(quota, (resource) => !resource.startsWith("limits")),
    formatUse(quota, (resource) => resource.startsWith("limits")),
    age(quota.metadata.creationTimestamp, now),
  ],
});

function setDefaults({ spec, status }: Draft<ResourceQuota>): void {
  for (const list of [spec.hard, status.hard, status.used]) {
    for (const [resource, amount] of Object.entries(list ?? {})) {
      if (list) list[resource] = formatQuantity(roundUpToMilli(getQuantity(amount)));
    }
  }
}

function prepareForCreate(quota: Draft<ResourceQuota>): void {
  quota.status = {};
}

function validate({ metadata, spec }: ResourceQuota): Finding[] {
  const rules = { namespaced: true, nameRule: dns1123Subdomain };
  return [...validateObjectMeta(metadata, rules), ...validateSpec(spec)];
}

function validateUpdate(next: ResourceQuota, old: ResourceQuota): Finding[] {
  const findings = validateObjectMetaUpdate(next.metadata, old.metadata);
  findings.push(...validateSpec(next.spec));
  if (JSON.stringify(scopesOf(next.spec)) === JSON.stringify(scopesOf(old.spec))) return findings;
  return [...findings, invalid("spec.scopes", next.spec.scopes, "field is immutable")];
}

function scopesOf({ scopes = [] }: ResourceQuotaSpec): string[] {
  return [...new Set(scopes)].sort();
}

function validateStatusUpdate({ metadata, status }: ResourceQuota, old: ResourceQuota): Finding[] {
  return [
    ...validateObjectMetaUpdate(metadata, old.metadata),
    ...validateAmounts(status.hard, "status.hard"),
    ...validateAmounts(status.used, "status.used"),
  ];
}

function validateSpec(spec: ResourceQuotaSpec): Finding[] {
  return [
    ...validateAmounts(spec.hard, "spec.hard"),
    ...validateScopes(spec),
    ...validateScopeSelector(spec),
  ];
}

function validateAmounts(
  amounts: { readonly [resource: string]: string } | undefined,
  path: string,
): Finding[] {
  return Object.entries(amounts ?? {}).flatMap(([resource, amount]) => [
    ...validateQuotaResource(resource, `${path}[${resource}]`),
    ...validateResourceAmount(resource, amount, `${path}[${resource}]`),
  ]);
}

function validateQuotaResource(resource: string, path: string): Finding[] {
  const problems = qualifiedName(resource);
  if (problems.length > 0) return invalidEach(path, resource, problems);
  const isHugePages = /^(requests\.)?hugepages-/.test(resource);
  if (resource.includes("/") || isHugePages || QUOTA_RESOURCES.has(resource)) return [];
  return [invalid(path, resource, "must be a standard resource for quota")];
}

function validateScopes({ scopes = [], hard = {} }: ResourceQuotaSpec): Finding[] {
  const path = "spec.scopes";
  const findings = scopes.flatMap((scope) => [
    ...(isKnownScope(scope) ? [] : [invalid(path, scopes, "unsupported scope")]),
    ...Object.keys(hard)
      .filter((resource) => QUOTA_RESOURCES.has(resource) && !isCounted(scope, resource))
      .map(() => invalid(path, scopes, "unsupported scope applied to resource")),
  ]);
  return [...findings, ...validateConflicts(scopes, path)];
}

function validateConflicts(scopes: readonly string[], path: string): Finding[] {
  return CONFLICTS.filter((pair) => pair.every((scope) => scopes.includes(scope))).map(() =>
    invalid(path, scopes, "conflicting scopes"),
  );
}

function validateScopeSelector({ scopeSelector }: ResourceQuotaSpec): Finding[] {
  const path = "spec.scopeSelector.matchExpressions";
  const expressions = scopeSelector?.matchExpressions ?? [];
  const unknown = expressions.filter(({ scopeName }) => !isKnownScope(scopeName));
  const names = expressions.map(({ scopeName }) => scopeName);
  return [
    ...unknown.map(({ scopeName }) => invalid(`${path}.scopeName`, scopeName, "unsupported scope")),
    ...validateConflicts(names, "spec.scopeSelector.matchExpressions"),
  ];
}

function isKnownScope(scope: string): boolean {
  return POD_SCOPES.includes(scope) || scope === "BestEffort" || scope === "VolumeAttributesClass";
}

/** Which resources a scope can tell apart: pods that ask for nothing can only be counted. */
function isCounted(scope: string, resource: string): boolean {
  if (scope === "BestEffort") return resource === "pods";
  if (scope === "VolumeAttributesClass") return /persistentvolumeclaims|storage/.test(resource);
  return !POD_SCOPES.includes(scope) || resource === "pods" || COMPUTE.includes(resource);
}

function formatUse({ status }: ResourceQuota, isShown: (resource: string) => boolean): string {
  const { hard = {}, used = {} } = status;
  return Object.keys(hard)
    .filter(isShown)
    .sort()
    .map((resource) => `${resource}: ${used[resource] ?? "0"}/${hard[resource] ?? "0"}`)
    .join(", ");
}
