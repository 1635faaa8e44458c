import { expect, test } from "vitest";
import { aGuardedServer, aUser } from "../../../test/builders/guarded-server.ts";
import { ask } from "../../../test/support/ask.ts";
import { impersonate } from "./impersonate.ts";

const server = aGuardedServer();
const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const rules = [
  { apiGroups: [""], resources: ["users"], resourceNames: ["bob"], verbs: ["impersonate"] },
  { apiGroups: [""], resources: ["groups"], resourceNames: ["devs"], verbs: ["impersonate"] },
];
ask(server, "POST", `${RBAC}/clusterroles`, { metadata: { name: "actor" }, rules });
ask(server, "POST", `${RBAC}/clusterrolebindings`, {
  metadata: { name: "actor" },
  roleRef: { kind: "ClusterRole", name: "actor" },
  subjects: [{ kind: "User", name: "alice" }],
});
const root = aUser("root", "system:masters");
const alice = aUser("alice");

function act(user: typeof root, headers: { readonly [name: string]: readonly string[] }) {
  const single = Object.fromEntries(Object.entries(headers).map(([name, all]) => [name, all[0]]));
  const distinct = headers as { [name: string]: string[] };
  const { impersonator, ...became } = impersonate(server, user, {
    headers: single,
    headersDistinct: distinct,
  });
  return became;
}

test.each([
  [{ "impersonate-user": ["bob"] }, { name: "bob", groups: ["system:authenticated"] }],
  [
    { "impersonate-user": ["bob"], "impersonate-group": ["a", "b"], "impersonate-uid": ["u"] },
    { name: "bob", uid: "u", groups: ["a", "b", "system:authenticated"] },
  ],
  [
    { "impersonate-user": ["system:serviceaccount:n:a"] },
    {
      name: "system:serviceaccount:n:a",
      groups: ["system:serviceaccounts", "system:serviceaccounts:n", "system:authenticated"],
    },
  ],
  [
    { "impersonate-user": ["system:anonymous"] },
    { name: "system:anonymous", groups: ["system:unauthenticated"] },
  ],
  [
    { "impersonate-user": ["bob"], "impersonate-extra-acme.com%2fscope": ["x", "y"] },
    { name: "bob", groups: ["system:authenticated"], extra: { "acme.com/scope": ["x", "y"] } },
  ],
])("an administrator impersonates the user in %j", (headers, user) => {
  expect(act(root, headers)).toEqual(user);
});

test("without impersonation headers the user stays the same", () => {
  expect(act(alice, { accept: ["*/*"] })).toEqual(alice);
});

test.each([
  [{ "impersonate-group": ["devs"] }],
  [{ "impersonate-extra-a": ["b"] }],
  [{ "impersonate-user": [""] }],
  [{ "impersonate-user": ["bob"], "impersonate-usr": ["eve"] }],
])("%j is rejected as incomplete or unknown", (headers) => {
  expect(() => act(root, headers)).toThrow(/impersonat/);
});

test("other users impersonate only the names, groups and extras they may", () => {
  const devs = { "impersonate-user": ["bob"], "impersonate-group": ["devs"] };
  expect(act(alice, devs).name).toBe("bob");
  const refused = 'User "alice" cannot impersonate resource';
  expect(() => act(alice, { "impersonate-user": ["eve"] })).toThrow(
    `users "eve" is forbidden: ${refused} "users" in API group "" at the cluster scope`,
  );
  const masters = { ...devs, "impersonate-group": ["system:masters"] };
  expect(() => act(alice, masters)).toThrow(
    `groups "system:masters" is forbidden: ${refused} "groups" in API group "" at the cluster scope`,
  );
  expect(() => act(alice, { "impersonate-user": ["system:serviceaccount:n:a"] })).toThrow(
    `serviceaccounts "a" is forbidden: ${refused} "serviceaccounts" in API group "" in the namespace "n"`,
  );
  expect(() => act(alice, { "impersonate-user": ["bob"], "impersonate-uid": ["1"] })).toThrow(
    `uids.authentication.k8s.io "1" is forbidden: ${refused} "uids"`,
  );
  const extra = { "impersonate-user": ["bob"], "impersonate-extra-scope": ["all"] };
  expect(() => act(alice, extra)).toThrow(`${refused} "userextras/scope"`);
});
