/**
 * Pure: the default roles and bindings of every Kubernetes cluster, as far as they are useful here:
 * those for users, and those for components that may run instead of Tally's own.
 */
import type { PolicyRule } from "../../api/generated/rbac.ts";
import { RBAC_GROUP } from "../../kinds/rbac/validate.ts";
import { COMPONENT_ROLES, CONTROLLER_ROLES } from "./component-roles.ts";
import type { DefaultRole } from "./short-role.ts";
import { USER_ROLES } from "./user-roles.ts";

/** Subjects are "User NAME", "Group NAME" or "ServiceAccount NAMESPACE/NAME". */
export interface DefaultBinding {
  readonly role: string;
  readonly namespace?: string;
  readonly subjects: readonly string[];
}

export interface DefaultObject {
  readonly resource: "roles" | "clusterroles" | "rolebindings" | "clusterrolebindings";
  readonly fields: {
    readonly metadata: { readonly name: string; readonly namespace?: string };
    readonly [field: string]: unknown;
  };
}

const DEFAULTS = {
  annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
  labels: { "kubernetes.io/bootstrapping": "rbac-defaults" },
};

const BINDINGS: readonly DefaultBinding[] = [
  { role: "cluster-admin", subjects: ["Group system:masters"] },
  { role: "system:monitoring", subjects: ["Group system:monitoring"] },
  { role: "system:discovery", subjects: ["Group system:authenticated"] },
  { role: "system:basic-user", subjects: ["Group system:authenticated"] },
  {
    role: "system:public-info-viewer",
    subjects: ["Group system:authenticated", "Group system:unauthenticated"],
  },
  { role: "system:node-proxier", subjects: ["User system:kube-proxy"] },
  { role: "system:kube-controller-manager", subjects: ["User system:kube-controller-manager"] },
  { role: "system:kube-dns", subjects: ["ServiceAccount kube-system/kube-dns"] },
  { role: "system:kube-scheduler", subjects: ["User system:kube-scheduler"] },
  { role: "system:volume-scheduler", subjects: ["User system:kube-scheduler"] },
  { role: "system:node", subjects: [] },
  {
    role: "system:service-account-issuer-discovery",
    subjects: ["Group system:serviceaccounts"],
  },
  {
    role: "extension-apiserver-authentication-reader",
    namespace: "kube-system",
    subjects: ["User system:kube-controller-manager", "User system:kube-scheduler"],
  },
  {
    role: "system::leader-locking-kube-controller-manager",
    namespace: "kube-system",
    subjects: [
      "User system:kube-controller-manager",
      "ServiceAccount kube-system/kube-controller-manager",
    ],
  },
  {
    role: "system::leader-locking-kube-scheduler",
    namespace: "kube-system",
    subjects: ["User system:kube-scheduler", "ServiceAccount kube-system/kube-scheduler"],
  },
];

const CONTROLLER = "system:controller:";

/** The objects to create, roles first. Aggregating roles already contain the aggregated rules. */
export function defaultObjects(): readonly DefaultObject[] {
  const roles = [...USER_ROLES, ...COMPONENT_ROLES, ...CONTROLLER_ROLES];
  const controllers: DefaultBinding[] = CONTROLLER_ROLES.map(({ name: role }) => ({
    role,
    subjects: [`ServiceAccount kube-system/${role.slice(CONTROLLER.length)}`],
  }));
  return [
    ...roles.map((role) => composeRole(role, roles)),
    ...[...BINDINGS, ...controllers].map(composeBinding),
  ];
}

function composeRole(role: DefaultRole, all: readonly DefaultRole[]): DefaultObject {
  const { name, namespace, gathers } = role;
  const metadata = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    annotations: DEFAULTS.annotations,
    labels: { ...DEFAULTS.labels, ...role.labels },
  };
  const resource = namespace === undefined ? "clusterroles" : "roles";
  if (gathers === undefined) return { resource, fields: { metadata, rules: role.rules ?? [] } };
  const selector = { matchLabels: { [gathers]: "true" } };
  const aggregationRule = { clusterRoleSelectors: [selector] };
  const rules = gathered(gathers, all);
  return { resource, fields: { metadata, aggregationRule, rules } };
}

/** As the controller aggregates them: sorted by name, without duplicates, recursively. */
function gathered(label: string, all: readonly DefaultRole[]): readonly PolicyRule[] {
  const sources = all.filter(({ labels = {} }) => labels[label] === "true");
  const inOrder = [...sources].sort((one, other) => (one.name < other.name ? -1 : 1));
  const rules = new Map<string, PolicyRule>();
  for (const { rules: own, gathers } of inOrder) {
    for (const rule of own ?? gathered(gathers ?? "", all)) rules.set(JSON.stringify(rule), rule);
  }
  return [...rules.values()];
}

function composeBinding({ role, namespace, subjects }: DefaultBinding): DefaultObject {
  const isLocal = namespace !== undefined;
  const metadata = { name: bindingName(role), ...(isLocal ? { namespace } : {}), ...DEFAULTS };
  const roleRef = { apiGroup: RBAC_GROUP, kind: isLocal ? "Role" : "ClusterRole", name: role };
  const resource = isLocal ? "rolebindings" : "clusterrolebindings";
  return { resource, fields: { metadata, roleRef, subjects: subjects.map(parseSubject) } };
}

/** Only this role has a binding with another name. */
function bindingName(role: string): string {
  return role === "extension-apiserver-authentication-reader"
    ? "system::extension-apiserver-authentication-reader"
    : role;
}

function parseSubject(text: string): object {
  const [kind = "", name = ""] = text.split(" ");
  if (kind !== "ServiceAccount") return { kind, apiGroup: RBAC_GROUP, name };
  const [namespace, account] = name.split("/");
  return { kind, name: account, namespace };
}
