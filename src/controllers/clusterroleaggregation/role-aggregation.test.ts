import { expect, test } from "vitest";
import { startController } from "../../../test/builders/controller.ts";
import type { ClusterRole, PolicyRule } from "../../api/generated/rbac.ts";
import { clusterRoles } from "../../api/resources.ts";
import { clusterRoleAggregation } from "./role-aggregation.ts";

function aRole(name: string, labels: object, more: Partial<ClusterRole>): ClusterRole {
  const metadata = { name, labels: labels as { [label: string]: string } };
  const typeMeta = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole" };
  return { ...typeMeta, metadata, rules: [], ...more };
}

function may(verb: string): PolicyRule {
  return { verbs: [verb], apiGroups: [""], resources: ["pods"] };
}

const gathering = (label: string) => ({
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [label]: "true" } }] },
});

async function start() {
  const running = await startController(clusterRoleAggregation);
  const verbsOf = async (name: string) => {
    const { rules } = await running.client.get(clusterRoles, { name });
    return (rules ?? []).map(({ verbs }) => verbs?.join());
  };
  return { ...running, verbsOf };
}

test("a role gets the rules of all selected roles, by name, without duplicates", async () => {
  const { client, settle, verbsOf } = await start();
  await client.create(clusterRoles, aRole("all", {}, gathering("to-all")));
  await client.create(clusterRoles, aRole("b", { "to-all": "true" }, { rules: [may("get")] }));
  const rules = [may("list"), may("get")];
  await client.create(clusterRoles, aRole("a", { "to-all": "true" }, { rules }));
  await client.create(clusterRoles, aRole("c", {}, { rules: [may("delete")] }));
  await settle();
  expect(await verbsOf("all")).toEqual(["list", "get"]);
  await client.delete(clusterRoles, { name: "a" });
  await settle();
  expect(await verbsOf("all")).toEqual(["get"]);
});

test("an aggregated role can itself be aggregated", async () => {
  const { client, settle, verbsOf } = await start();
  await client.create(clusterRoles, aRole("admin", {}, gathering("to-admin")));
  await client.create(clusterRoles, aRole("edit", { "to-admin": "true" }, gathering("to-edit")));
  await client.create(clusterRoles, aRole("own", { "to-edit": "true" }, { rules: [may("get")] }));
  await settle();
  expect(await verbsOf("admin")).toEqual(["get"]);
});

test("rules written by a user into an aggregated role are overwritten", async () => {
  const { client, settle, verbsOf } = await start();
  const role = aRole("all", {}, { ...gathering("to-all"), rules: [may("delete")] });
  await client.create(clusterRoles, role);
  await settle();
  expect(await verbsOf("all")).toEqual([]);
});
