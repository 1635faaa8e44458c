/** Pure: ResourceQuotas: how much a namespace may use. */
import { type Finding, invalid, required } from "../../api/finding.ts";
import type {
  ResourceQuota,
  ResourceQuotaSpec,
  ScopedResourceSelectorRequirement as ScopeExpression,
} from "../../api/generated/core.ts";
import { dns1123Subdomain } from "../../api/names.ts";
import type { Draft } from "../../api/object.ts";
import { age } from "../../api/print/age.ts";
import { formatQuantity, getQuantity, roundUpToMilli } from "../../api/quantity.ts";
import { defineKind } from "../kind.ts";
import { ageColumn, column, nameColumn } from "../meta/columns.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "../meta/object-meta.ts";
import { validateResourceName } from "../pod/resource-names.ts";
import { validateResourceAmount } from "../pod/validate-resources.ts";

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
const PLAIN_SCOPES = [
  "Terminating",
  "NotTerminating",
  "BestEffort",
  "NotBestEffort",
  "CrossNamespacePodAffinity",
];
const INAPPLICABLE = "unsupported scope applied to resource";
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
    column(
      "Request",
      "Request represents a minimum amount of cpu/memory that a container may consume.",
    ),
    column(
      "Limit",
      "Limits control the maximum amount of cpu/memory that a container may use independent of " +
        "contention on the node.",
    ),
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
  const isHugePages = /^(requests\.)?hugepages-/.test(resource);
  const findings = isHugePages ? [] : validateResourceName(resource, path);
  if (resource.includes("/") || isHugePages || QUOTA_RESOURCES.has(resource)) return findings;
  return [...findings, invalid(path, resource, "must be a standard resource for quota")];
}

function validateScopes({ scopes = [], hard = {} }: ResourceQuotaSpec): Finding[] {
  const path = "spec.scopes";
  if (scopes.length === 0) return [];
  // Every finding shows all scopes, so one instance is shared.
  const unsupported = invalid(path, scopes, "unsupported scope");
  const inapplicable = invalid(path, scopes, INAPPLICABLE);
  const counted = scopeCounter(hard);
  const findings = scopes.flatMap((scope) => [
    ...(isKnownScope(scope) ? [] : [unsupported]),
    ...counted(scope).map(() => inapplicable),
  ]);
  return [...findings, ...validateConflicts(scopes, path, scopes)];
}

function validateConflicts(
  scopes: readonly string[],
  path: string,
  shown: readonly string[] | undefined,
): Finding[] {
  return CONFLICTS.filter((pair) => pair.every((scope) => scopes.includes(scope))).map(() =>
    invalid(path, shown ?? null, "conflicting scopes"),
  );
}

function validateScopeSelector({ scopeSelector, scopes, hard = {} }: ResourceQuotaSpec): Finding[] {
  const path = "spec.scopeSelector.matchExpressions";
  const expressions = scopeSelector?.matchExpressions ?? [];
  if (expressions.length === 0) return [];
  const names = expressions.map(({ scopeName }) => scopeName);
  const inapplicable = invalid(path, selectorDump(expressions), INAPPLICABLE);
  const counted = scopeCounter(hard);
  return [
    ...expressions.flatMap((expression) => [
      ...(isKnownScope(expression.scopeName)
        ? []
        : [invalid(`${path}.scopeName`, expression.scopeName, "unsupported scope")]),
      ...counted(expression.scopeName).map(() => inapplicable),
      ...validateScopeExpression(expression, path),
    ]),
    ...validateConflicts(names, path, scopes),
  ];
}

/** Most scopes are boolean; only classes have names that can be selected. */
function validateScopeExpression(expression: ScopeExpression, path: string): Finding[] {
  const { scopeName, operator, values = [] } = expression;
  const findings: Finding[] = [];
  if (PLAIN_SCOPES.includes(scopeName) && operator !== "Exists") {
    const list = PLAIN_SCOPES.slice(0, -1).map((scope) => `ResourceQuotaScope${scope}`);
    const last = `ResourceQuotaScope${PLAIN_SCOPES.at(-1)}`;
    const detail = `must be 'Exists' when scope is any of ${list.join(", ")} or ${last}`;
    findings.push(invalid(`${path}.operator`, operator, detail));
  }
  const rule = (amount: string, operators: string) =>
    `must be ${amount} value when \`operator\` is ${operators} for scope selector`;
  if (operator === "In" || operator === "NotIn") {
    if (values.length > 0) return findings;
    return [...findings, required(`${path}.values`, rule("at least one", "'In' or 'NotIn'"))];
  }
  if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length === 0) return findings;
    const detail = rule("no", "'Exist' or 'DoesNotExist'");
    return [...findings, invalid(`${path}.values`, values, detail)];
  }
  return [...findings, invalid(`${path}.operator`, operator, "not a valid selector operator")];
}

/** The selector in the format in which Kubernetes prints its internal type. */
function selectorDump(expressions: readonly ScopeExpression[]): object {
  const MatchExpressions = expressions.map(({ scopeName, operator, values }) => ({
    ScopeName: scopeName,
    Operator: operator,
    Values: values ?? null,
  }));
  return { MatchExpressions };
}

/** Iterates over all resources once per scope. */
function scopeCounter(hard: { readonly [resource: string]: string }): (scope: string) => string[] {
  const known = new Map<string, string[]>();
  return (scope) => {
    if (!isKnownScope(scope)) return [];
    const found = known.get(scope) ?? uncounted(scope, hard);
    known.set(scope, found);
    return found;
  };
}

function uncounted(scope: string, hard: { readonly [resource: string]: string }): string[] {
  return Object.keys(hard).filter(
    (resource) => QUOTA_RESOURCES.has(resource) && !isCounted(scope, resource),
  );
}

function isKnownScope(scope: string): boolean {
  return POD_SCOPES.includes(scope) || scope === "BestEffort" || scope === "VolumeAttributesClass";
}

/** Which resources a scope can apply to: pods without requests can only be counted. */
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
