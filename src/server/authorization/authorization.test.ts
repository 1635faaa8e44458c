/** RBAC, tested through requests to a server. */
import { expect, test } from "vitest";
import { aGuardedServer, aUser } from "../../../test/builders/guarded-server.ts";
import type { TestServer } from "../../../test/builders/server.ts";
import { ask } from "../../../test/support/ask.ts";
import { openDefaultRoles } from "./ensure-default-roles.ts";
import { ANONYMOUS, type User } from "./user.ts";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const PODS = "/api/v1/namespaces/default/pods";
const alice = aUser("alice");
/** For tests that only read. */
const untouched = aGuardedServer();

function makeRole(server: TestServer, name: string, rules: readonly object[]): void {
  ask(server, "POST", `${RBAC}/namespaces/default/roles`, { metadata: { name }, rules });
}

function bind(server: TestServer, role: string, subject: object): void {
  const roleRef = { kind: "Role", name: role };
  const body = { metadata: { name: role }, roleRef, subjects: [subject] };
  ask(server, "POST", `${RBAC}/namespaces/default/rolebindings`, body);
}

function bindEverywhere(server: TestServer, role: string, subject: object): void {
  const roleRef = { kind: "ClusterRole", name: role };
  const name = `${role}-everywhere`;
  const body = { metadata: { name }, roleRef, subjects: [subject] };
  ask(server, "POST", `${RBAC}/clusterrolebindings`, body);
}

const messageOf = (server: TestServer, method: string, path: string, user: User, body?: unknown) =>
  (ask(server, method, path, body, { user }).object as unknown as { message?: string }).message;

test.each([
  [
    "GET",
    PODS,
    'pods is forbidden: User "alice" cannot list resource "pods" in API group "" in the namespace "default"',
  ],
  [
    "GET",
    `${PODS}?watch=true`,
    'pods is forbidden: User "alice" cannot watch resource "pods" in API group "" in the namespace "default"',
  ],
  [
    "GET",
    "/api/v1/watch/pods",
    'pods is forbidden: User "alice" cannot watch resource "pods" in API group "" at the cluster scope',
  ],
  [
    "GET",
    "/api/v1/pods",
    'pods is forbidden: User "alice" cannot list resource "pods" in API group "" at the cluster scope',
  ],
  [
    "GET",
    `${PODS}/p`,
    'pods "p" is forbidden: User "alice" cannot get resource "pods" in API group "" in the namespace "default"',
  ],
  [
    "GET",
    `${PODS}?fieldSelector=metadata.name%3Dp`,
    'pods "p" is forbidden: User "alice" cannot list resource "pods" in API group "" in the namespace "default"',
  ],
  [
    "GET",
    `${PODS}/p/log`,
    'pods "p" is forbidden: User "alice" cannot get resource "pods/log" in API group "" in the namespace "default"',
  ],
  [
    "POST",
    `${PODS}/p/exec`,
    'pods "p" is forbidden: User "alice" cannot create resource "pods/exec" in API group "" in the namespace "default"',
  ],
  [
    "POST",
    "/apis/batch/v1/namespaces/default/jobs",
    'jobs.batch is forbidden: User "alice" cannot create resource "jobs" in API group "batch" in the namespace "default"',
  ],
  [
    "DELETE",
    PODS,
    'pods is forbidden: User "alice" cannot deletecollection resource "pods" in API group "" in the namespace "default"',
  ],
  [
    "PATCH",
    "/api/v1/namespaces/x",
    'namespaces "x" is forbidden: User "alice" cannot patch resource "namespaces" in API group "" in the namespace "x"',
  ],
  [
    "PUT",
    "/api/v1/nodes/n/status",
    'nodes "n" is forbidden: User "alice" cannot update resource "nodes/status" in API group "" at the cluster scope',
  ],
  [
    "GET",
    "/apis/tallyjob.io/v1alpha1/namespaces/default/jobs/j/indexes/3",
    'jobs.tallyjob.io "j" is forbidden: User "alice" cannot get resource "jobs/indexes" in API group "tallyjob.io" in the namespace "default"',
  ],
  [
    "GET",
    "/apis/example.com/v1/things",
    'things.example.com is forbidden: User "alice" cannot list resource "things" in API group "example.com" at the cluster scope',
  ],
  ["GET", "/metrics", 'forbidden: User "alice" cannot get path "/metrics"'],
  ["POST", "/x%3Cb%3E<b>", 'forbidden: User "alice" cannot post path "/x%3Cb%3E&lt;b&gt;"'],
])("%s %s without rights is answered with 403", (method, path, message) => {
  const told = ask(untouched, method, path, {}, { user: alice });
  expect(told.status).toBe(403);
  expect(told.object).toMatchObject({ kind: "Status", reason: "Forbidden", code: 403, message });
});

test.each([
  [
    "an authenticated user",
    alice,
    ["/api", "/apis/batch/v1", "/openapi/v3", "/healthz", "/version"],
    ["/metrics", "/"],
  ],
  [
    "an anonymous user",
    ANONYMOUS,
    ["/healthz", "/livez", "/readyz", "/version"],
    ["/api", "/healthz/ping", "/openid/v1/jwks"],
  ],
  ["a ServiceAccount", aUser("a", "system:serviceaccounts"), ["/openid/v1/jwks"], ["/metrics"]],
  ["a monitor", aUser("m", "system:monitoring"), ["/healthz/ping"], ["/x"]],
  ["an administrator", aUser("r", "system:masters"), ["/api", "/openid/v1/jwks"], []],
])("%s may read certain paths only", (_who, user, may, mayNot) => {
  const server = untouched;
  expect(
    may.filter((path) => ask(server, "GET", path, undefined, { user }).status !== 200),
  ).toEqual([]);
  expect(
    mayNot.filter((path) => ask(server, "GET", path, undefined, { user }).status !== 403),
  ).toEqual([]);
});

const READ_PODS = { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] };

test.each([
  ["a user", { kind: "User", name: "alice" }, alice],
  ["a group", { kind: "Group", name: "devs" }, aUser("bob", "devs")],
  [
    "a ServiceAccount of the same namespace",
    { kind: "ServiceAccount", name: "x" },
    aUser("system:serviceaccount:default:x"),
  ],
  [
    "a ServiceAccount of another namespace",
    { kind: "ServiceAccount", name: "x", namespace: "other" },
    aUser("system:serviceaccount:other:x"),
  ],
])("a binding to %s grants the role only in its namespace", (_who, subject, user) => {
  const server = aGuardedServer();
  makeRole(server, "reader", [READ_PODS]);
  expect(ask(server, "GET", PODS, undefined, { user }).status).toBe(403);
  bind(server, "reader", subject);
  expect(ask(server, "GET", PODS, undefined, { user }).status).toBe(200);
  expect(ask(server, "GET", "/api/v1/namespaces/other/pods", undefined, { user }).status).toBe(403);
  expect(ask(server, "DELETE", PODS, undefined, { user }).status).toBe(403);
  ask(server, "DELETE", `${RBAC}/namespaces/default/rolebindings/reader`);
  expect(ask(server, "GET", PODS, undefined, { user }).status).toBe(403);
});

test("changes of roles and bindings take effect at once", () => {
  const server = aGuardedServer();
  makeRole(server, "reader", [READ_PODS]);
  bind(server, "reader", { kind: "User", name: "alice" });
  const path = `${RBAC}/namespaces/default/roles/reader`;
  ask(server, "PATCH", path, { rules: [{ ...READ_PODS, verbs: ["delete"] }] });
  expect(ask(server, "GET", PODS, undefined, { user: alice }).status).toBe(403);
  ask(server, "PATCH", path, { rules: [READ_PODS] });
  expect(ask(server, "GET", PODS, undefined, { user: alice }).status).toBe(200);
  const binding = `${RBAC}/namespaces/default/rolebindings/reader`;
  ask(server, "PATCH", binding, { subjects: [{ kind: "User", name: "bob" }] });
  expect(ask(server, "GET", PODS, undefined, { user: alice }).status).toBe(403);
  expect(ask(server, "GET", PODS, undefined, { user: aUser("bob") }).status).toBe(200);
});

test("a missing role is part of the reason", () => {
  const server = aGuardedServer();
  bindEverywhere(server, "gone", { kind: "User", name: "alice" });
  expect(messageOf(server, "GET", PODS, alice)).toBe(
    'pods is forbidden: User "alice" cannot list resource "pods" in API group "" in the ' +
      'namespace "default": RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
  );
});

const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const WHO_MAY: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  [
    "view",
    [`GET ${PODS}`, `GET ${JOBS}`],
    [`POST ${JOBS}`, "GET /api/v1/namespaces/default/secrets", `GET ${RBAC}/roles`],
  ],
  [
    "edit",
    [`GET ${JOBS}`, `DELETE ${PODS}`, "GET /api/v1/namespaces/default/secrets"],
    [`GET ${RBAC}/roles`, "GET /api/v1/nodes"],
  ],
  [
    "admin",
    [
      `GET ${JOBS}`,
      "GET /api/v1/namespaces/default/secrets",
      `GET ${RBAC}/namespaces/default/roles`,
    ],
    [
      "GET /api/v1/nodes",
      `GET ${RBAC}/clusterroles`,
      "DELETE /api/v1/namespaces/default/resourcequotas",
    ],
  ],
  ["cluster-admin", ["GET /api/v1/nodes", `GET ${RBAC}/clusterroles`, "GET /openid/v1/jwks"], []],
];

test.each(WHO_MAY)(
  "a user bound to %s in the whole cluster has its rights",
  (role, may, mayNot) => {
    const server = aGuardedServer();
    bindEverywhere(server, role, { kind: "User", name: "alice" });
    const statusOf = (asked: string): number => {
      const [method = "", path = ""] = asked.split(" ");
      return ask(server, method, path, undefined, { user: alice }).status;
    };
    expect(may.filter((asked) => statusOf(asked) !== 200)).toEqual([]);
    expect(mayNot.filter((asked) => statusOf(asked) !== 403)).toEqual([]);
  },
);

test("access reviews answer about oneself and about others", () => {
  const server = aGuardedServer();
  makeRole(server, "reader", [READ_PODS]);
  bind(server, "reader", { kind: "User", name: "alice" });
  const review = (kind: string, spec: object, user: User) => {
    const path = `/apis/authorization.k8s.io/v1/${kind}`;
    return (ask(server, "POST", path, { spec }, { user }).object as { status?: unknown }).status;
  };
  const list = { verb: "list", resource: "pods", namespace: "default" };
  expect(review("selfsubjectaccessreviews", { resourceAttributes: list }, alice)).toEqual({
    allowed: true,
    reason: 'RBAC: allowed by RoleBinding "reader/default" of Role "reader" to User "alice"',
  });
  const remove = { resourceAttributes: { ...list, verb: "delete" } };
  expect(review("selfsubjectaccessreviews", remove, alice)).toEqual({ allowed: false });
  const root = aUser("r", "system:masters");
  const about = { user: "alice", groups: [], resourceAttributes: list };
  expect(review("subjectaccessreviews", about, root)).toMatchObject({ allowed: true });
  expect(review("subjectaccessreviews", { ...about, user: "bob" }, root)).toEqual({
    allowed: false,
  });
  expect(
    messageOf(server, "POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", alice, {}),
  ).toMatch(/cannot create resource "subjectaccessreviews"/);
  expect(review("selfsubjectrulesreviews", { namespace: "default" }, alice)).toMatchObject({
    resourceRules: expect.arrayContaining([READ_PODS]),
    nonResourceRules: expect.arrayContaining([
      { verbs: ["get"], nonResourceURLs: expect.arrayContaining(["/api"]) },
    ]),
    incomplete: false,
  });
});

const GRANTERS = {
  apiGroups: ["rbac.authorization.k8s.io"],
  resources: ["roles", "rolebindings"],
  verbs: ["create", "update", "patch"],
};

test("a user cannot grant rights that the user does not have", () => {
  const server = aGuardedServer();
  makeRole(server, "granter", [GRANTERS, READ_PODS]);
  bind(server, "granter", { kind: "User", name: "alice" });
  const roles = `${RBAC}/namespaces/default/roles`;
  const wanted = { ...READ_PODS, resources: ["pods", "secrets"], verbs: ["list", "get"] };
  const body = { metadata: { name: "more" }, rules: [wanted] };
  expect(messageOf(server, "POST", roles, alice, body)).toBe(
    'roles.rbac.authorization.k8s.io "more" is forbidden: user "alice" ' +
      '(groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently ' +
      'held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["list" "get"]}',
  );
  expect(ask(server, "POST", roles, { ...body, rules: [READ_PODS] }, { user: alice }).status).toBe(
    201,
  );
  const more = `${roles}/more`;
  expect(ask(server, "PATCH", more, { rules: [wanted] }, { user: alice }).status).toBe(403);
  expect(ask(server, "PATCH", more, { rules: [] }, { user: alice }).status).toBe(200);
});

test("a role can be bound by users who hold it or may bind it", () => {
  const server = aGuardedServer();
  makeRole(server, "granter", [GRANTERS, READ_PODS]);
  bind(server, "granter", { kind: "User", name: "alice" });
  const bindings = `${RBAC}/namespaces/default/rolebindings`;
  const body = {
    metadata: { name: "b" },
    roleRef: { kind: "ClusterRole", name: "edit" },
    subjects: [{ kind: "User", name: "alice" }],
  };
  expect(messageOf(server, "POST", bindings, alice, body)).toMatch(
    /^rolebindings.rbac.authorization.k8s.io "b" is forbidden: user "alice" .* currently held:\n/,
  );
  const missing = { ...body, roleRef: { kind: "ClusterRole", name: "none" } };
  expect(messageOf(server, "POST", bindings, alice, missing)).toBe(
    'clusterrole.rbac.authorization.k8s.io "none" not found',
  );
  makeRole(server, "binder", [
    { ...GRANTERS, resources: ["clusterroles"], resourceNames: ["edit"], verbs: ["bind"] },
  ]);
  bind(server, "binder", { kind: "User", name: "alice" });
  expect(ask(server, "POST", bindings, body, { user: alice }).status).toBe(201);
});

test("an aggregation rule requires cluster-admin rights", () => {
  const server = aGuardedServer();
  const rules = [{ ...GRANTERS, resources: ["clusterroles"] }];
  ask(server, "POST", `${RBAC}/clusterroles`, { metadata: { name: "granter" }, rules });
  bindEverywhere(server, "granter", { kind: "User", name: "alice" });
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] };
  const body = { metadata: { name: "all" }, aggregationRule, rules: [] };
  expect(messageOf(server, "POST", `${RBAC}/clusterroles`, alice, body)).toBe(
    'clusterroles.rbac.authorization.k8s.io "all" is forbidden: ' +
      "must have cluster-admin privileges to use the aggregationRule",
  );
});

test("a start restores missing default rules and keeps additional ones", () => {
  const server = aGuardedServer();
  const before = server.store.revision;
  openDefaultRoles(server).ensure();
  expect(server.store.revision).toBe(before);
  const basic = `${RBAC}/clusterroles/system:basic-user`;
  ask(server, "PATCH", basic, { rules: [READ_PODS] });
  ask(server, "DELETE", `${RBAC}/clusterroles/edit`);
  const protectedRole = `${RBAC}/clusterroles/system:discovery`;
  const annotations = { "rbac.authorization.kubernetes.io/autoupdate": "false" };
  ask(server, "PATCH", protectedRole, { metadata: { annotations }, rules: [] });
  openDefaultRoles(server).ensure();
  expect(ask(server, "GET", `${RBAC}/clusterroles/edit`).status).toBe(200);
  expect(ask(server, "GET", protectedRole).object).toMatchObject({ rules: null });
  const { rules } = ask(server, "GET", basic).object as unknown as { rules: unknown[] };
  expect(rules).toHaveLength(3);
  expect(rules[0]).toEqual(READ_PODS);
});
