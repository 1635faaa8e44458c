import { expect, test } from "vitest";
import { created } from "../../../test/builders/created.ts";
import { formatFinding } from "../../api/finding.ts";
import type { Json, KubeObject } from "../../api/object.ts";
import type { Kind } from "../kind.ts";
import { clusterRoleBindingKind, roleBindingKind } from "./bindings.ts";
import { clusterRoleKind, roleKind } from "./roles.ts";

function findingsOf(kind: Kind, fields: object): string[] {
  const object = created<KubeObject>(kind, fields as { [field: string]: Json });
  if (!kind.namespaced) delete object.metadata.namespace;
  kind.rules.setDefaults?.(object);
  return kind.rules.validate(object).map(formatFinding);
}

const GET = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const PATHS = { verbs: ["get"], nonResourceURLs: ["/a"] };

test.each([
  ["Role", roleKind, { rules: [GET] }, []],
  [
    "Role",
    roleKind,
    { rules: [{ ...GET, verbs: [] }] },
    ["rules[0].verbs: Required value: verbs must contain at least one value"],
  ],
  [
    "Role",
    roleKind,
    { rules: [{ verbs: ["get"] }] },
    [
      "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
      "rules[0].resources: Required value: resource rules must supply at least one resource",
    ],
  ],
  [
    "Role",
    roleKind,
    { rules: [GET, PATHS] },
    [
      'rules[1].nonResourceURLs: Invalid value: ["/a"]: namespaced rules cannot apply to non-resource URLs',
    ],
  ],
  ["ClusterRole", clusterRoleKind, { rules: [PATHS] }, []],
  [
    "ClusterRole",
    clusterRoleKind,
    { rules: [{ ...PATHS, ...GET }] },
    [
      'rules[0].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs',
    ],
  ],
  [
    "ClusterRole",
    clusterRoleKind,
    { aggregationRule: {} },
    [
      "aggregationRule.clusterRoleSelectors: Required value: " +
        "at least one clusterRoleSelector required if aggregationRule is non-nil",
    ],
  ],
  [
    "ClusterRole",
    clusterRoleKind,
    {
      aggregationRule: {
        clusterRoleSelectors: [{ matchExpressions: [{ key: "a", operator: "X" }] }],
      },
    },
    [
      "aggregationRule.clusterRoleSelectors[0].matchExpressions[0].operator: " +
        'Invalid value: "X": not a valid selector operator',
      "aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.",
    ],
  ],
])("the rules of a %s: %#", (_name, kind, fields, findings) => {
  expect(findingsOf(kind, fields)).toEqual(findings);
});

const USER = { kind: "User", name: "u" };
const ROLE = { kind: "Role", name: "r" };
const CLUSTER_ROLE = { kind: "ClusterRole", name: "r" };

test.each([
  ["a user", roleBindingKind, ROLE, USER, []],
  ["a cluster role", roleBindingKind, CLUSTER_ROLE, USER, []],
  [
    "a service account in the namespace of the binding",
    roleBindingKind,
    ROLE,
    { kind: "ServiceAccount", name: "a" },
    [],
  ],
  [
    "a service account without a namespace",
    clusterRoleBindingKind,
    CLUSTER_ROLE,
    { kind: "ServiceAccount", name: "a" },
    ["subjects[0].namespace: Required value"],
  ],
  [
    "a service account with an API group",
    roleBindingKind,
    ROLE,
    { kind: "ServiceAccount", name: "a", apiGroup: "x" },
    ['subjects[0].apiGroup: Unsupported value: "x": supported values: ""'],
  ],
  [
    "a user with another API group",
    roleBindingKind,
    ROLE,
    { ...USER, apiGroup: "x" },
    ['subjects[0].apiGroup: Unsupported value: "x": supported values: "rbac.authorization.k8s.io"'],
  ],
  [
    "a subject of an unknown kind",
    roleBindingKind,
    ROLE,
    { kind: "Dog", name: "d" },
    [
      'subjects[0].kind: Unsupported value: "Dog": supported values: "ServiceAccount", "User", "Group"',
    ],
  ],
  [
    "a subject without a name",
    roleBindingKind,
    ROLE,
    { kind: "User", name: "" },
    ["subjects[0].name: Required value"],
  ],
  [
    "a Role in a ClusterRoleBinding",
    clusterRoleBindingKind,
    ROLE,
    USER,
    ['roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"'],
  ],
  [
    "a role without a name",
    roleBindingKind,
    { kind: "Role", name: "" },
    USER,
    ["roleRef.name: Required value"],
  ],
])("a binding of %s", (_what, kind, roleRef, subject, findings) => {
  expect(findingsOf(kind, { roleRef, subjects: [subject] })).toEqual(findings);
});

test("roleRef is immutable", () => {
  const old = created(roleBindingKind, { roleRef: ROLE });
  const next = created(roleBindingKind, { roleRef: { ...ROLE, name: "other" } });
  for (const each of [old, next]) roleBindingKind.rules.setDefaults?.(each);
  expect(roleBindingKind.rules.validateUpdate(next, old).map(formatFinding)).toEqual([
    'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role",' +
      '"Name":"other"}: cannot change roleRef',
  ]);
});

test("the API groups of users and groups are defaulted", () => {
  const subjects = [USER, { kind: "Group", name: "g" }, { kind: "ServiceAccount", name: "a" }];
  const binding = created<KubeObject>(roleBindingKind, { roleRef: ROLE, subjects });
  roleBindingKind.rules.setDefaults?.(binding);
  const group = "rbac.authorization.k8s.io";
  expect(binding).toMatchObject({
    roleRef: { apiGroup: group },
    subjects: [{ apiGroup: group }, { apiGroup: group }, { kind: "ServiceAccount" }],
  });
});

test("a wide table lists all subjects", () => {
  const subjects = [
    USER,
    { kind: "User", name: "v" },
    { kind: "Group", name: "g" },
    { kind: "ServiceAccount", name: "a", namespace: "n" },
  ];
  const binding = created<KubeObject>(roleBindingKind, {
    metadata: { name: "b" },
    roleRef: CLUSTER_ROLE,
    subjects,
  });
  const cells = roleBindingKind.cells(binding, new Date(0));
  expect(cells.filter((_cell, at) => at !== 2)).toEqual(["b", "ClusterRole/r", "u, v", "g", "n/a"]);
});
