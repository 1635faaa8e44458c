/** Pure: Roles and ClusterRoles: permissions that bindings grant to subjects. */
import { type Finding, invalid, required } from "../../api/finding.ts";
import type { ClusterRole, Role } from "../../api/generated/rbac.ts";
import { pathSegment } from "../../api/names.ts";
import { defineKind } from "../kind.ts";
import { createdAtColumn, nameColumn } from "../meta/columns.ts";
import { validateLabelSelector } from "../meta/label-selector.ts";
import { standardRules } from "../meta/standard-rules.ts";
import { RBAC_GROUP, validateRules } from "./validate.ts";

export const roleKind = defineKind<Role>({
  group: RBAC_GROUP,
  version: "v1",
  kind: "Role",
  resource: "roles",
  singular: "role",
  namespaced: true,
  message: "rbac/v1.Role",
  createsOnUpdate: true,
  rules: standardRules<Role>({
    namespaced: true,
    nameRule: pathSegment,
    validateContent: ({ rules }) => validateRules(rules, true),
  }),
  columns: [nameColumn, createdAtColumn],
  cells: ({ metadata }) => [metadata.name ?? "", metadata.creationTimestamp ?? ""],
});

export const clusterRoleKind = defineKind<ClusterRole>({
  group: RBAC_GROUP,
  version: "v1",
  kind: "ClusterRole",
  resource: "clusterroles",
  singular: "clusterrole",
  namespaced: false,
  message: "rbac/v1.ClusterRole",
  createsOnUpdate: true,
  rules: standardRules<ClusterRole>({
    namespaced: false,
    nameRule: pathSegment,
    validateContent: (role) => [...validateRules(role.rules, false), ...validateAggregation(role)],
  }),
  columns: [nameColumn, createdAtColumn],
  cells: ({ metadata }) => [metadata.name ?? "", metadata.creationTimestamp ?? ""],
});

function validateAggregation({ aggregationRule }: ClusterRole): Finding[] {
  if (!aggregationRule) return [];
  const path = "aggregationRule.clusterRoleSelectors";
  const { clusterRoleSelectors: selectors = [] } = aggregationRule;
  if (selectors.length === 0) {
    const detail = "at least one clusterRoleSelector required if aggregationRule is non-nil";
    return [required(path, detail)];
  }
  return selectors.flatMap((selector, at) => {
    const found = validateLabelSelector(selector, `${path}[${at}]`);
    if (found.length === 0) return [];
    return [...found, invalid(`${path}[${at}]`, null, "invalid label selector.")];
  });
}
