/** Pure: RoleBindings and ClusterRoleBindings: who has a role, in one namespace or in all. */
import type { ClusterRoleBinding, RoleBinding, Subject } from "../../api/generated/rbac.ts";
import { pathSegment } from "../../api/names.ts";
import type { Draft } from "../../api/object.ts";
import { age } from "../../api/print/age.ts";
import { type Cell, type Column, defineKind } from "../kind.ts";
import { ageColumn, column, nameColumn } from "../meta/columns.ts";
import { standardRules } from "../meta/standard-rules.ts";
import { RBAC_GROUP, validateRoleRef, validateSameRole, validateSubjects } from "./validate.ts";

const UNRESOLVED = "If the RoleRef cannot be resolved, the Authorizer must return an error.";

export const roleBindingKind = defineKind<RoleBinding>({
  group: RBAC_GROUP,
  version: "v1",
  kind: "RoleBinding",
  resource: "rolebindings",
  singular: "rolebinding",
  namespaced: true,
  message: "rbac/v1.RoleBinding",
  createsOnUpdate: true,
  rules: {
    ...standardRules<RoleBinding>({
      namespaced: true,
      nameRule: pathSegment,
      validateContent: ({ roleRef, subjects }) => [
        ...validateRoleRef(roleRef, ["Role", "ClusterRole"]),
        ...validateSubjects(subjects, true),
      ],
      validateChange: (next, old) => validateSameRole(next.roleRef, old.roleRef),
    }),
    setDefaults,
  },
  columns: columnsOf(
    "roleBinding",
    "RoleRef can reference a Role in the current namespace or a ClusterRole in the global " +
      `namespace. ${UNRESOLVED}`,
  ),
  cells: cellsOf,
});

export const clusterRoleBindingKind = defineKind<ClusterRoleBinding>({
  group: RBAC_GROUP,
  version: "v1",
  kind: "ClusterRoleBinding",
  resource: "clusterrolebindings",
  singular: "clusterrolebinding",
  namespaced: false,
  message: "rbac/v1.ClusterRoleBinding",
  createsOnUpdate: true,
  rules: {
    ...standardRules<ClusterRoleBinding>({
      namespaced: false,
      nameRule: pathSegment,
      validateContent: ({ roleRef, subjects }) => [
        ...validateRoleRef(roleRef, ["ClusterRole"]),
        ...validateSubjects(subjects, false),
      ],
      validateChange: (next, old) => validateSameRole(next.roleRef, old.roleRef),
    }),
    setDefaults,
  },
  columns: columnsOf(
    "clusterRoleBinding",
    `RoleRef can only reference a ClusterRole in the global namespace. ${UNRESOLVED}`,
  ),
  cells: cellsOf,
});

function setDefaults(binding: Draft<RoleBinding> | Draft<ClusterRoleBinding>): void {
  if ((binding.roleRef?.apiGroup ?? "") === "") {
    binding.roleRef = { ...binding.roleRef, apiGroup: RBAC_GROUP };
  }
  for (const subject of binding.subjects ?? []) {
    const isOfGroup = subject.kind === "User" || subject.kind === "Group";
    if (isOfGroup && (subject.apiGroup ?? "") === "") subject.apiGroup = RBAC_GROUP;
  }
}

function columnsOf(what: string, roleRef: string): readonly Column[] {
  return [
    nameColumn,
    column("Role", roleRef),
    ageColumn,
    column("Users", `Users in the ${what}`, { wide: true }),
    column("Groups", `Groups in the ${what}`, { wide: true }),
    column("ServiceAccounts", `ServiceAccounts in the ${what}`, { wide: true }),
  ];
}

function cellsOf(binding: RoleBinding | ClusterRoleBinding, now: Date): Cell[] {
  const { metadata, roleRef, subjects = [] } = binding;
  const named = (kind: string, show: (subject: Subject) => string) =>
    subjects
      .filter((subject) => subject.kind === kind)
      .map(show)
      .join(", ");
  return [
    metadata.name ?? "",
    `${roleRef.kind}/${roleRef.name}`,
    age(metadata.creationTimestamp, now),
    named("User", ({ name }) => name),
    named("Group", ({ name }) => name),
    named("ServiceAccount", ({ namespace = "", name }) => `${namespace}/${name}`),
  ];
}
