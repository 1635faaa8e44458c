import { expect, test } from "vitest";
import { startController } from "../../../test/builders/controller.ts";
import { serviceAccounts } from "../../api/resources.ts";
import { defaultAccountController } from "./default-account.ts";

const PLACE = { namespace: "kube-public", name: "default" };

test("every namespace has a ServiceAccount named default", async () => {
  const { client } = await startController(defaultAccountController);
  const { items } = await client.list(serviceAccounts);
  expect(items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual([
    "default/default",
    "kube-node-lease/default",
    "kube-public/default",
    "kube-system/default",
  ]);
});

test("a deleted default account is recreated with a new UID", async () => {
  const { client, settle } = await startController(defaultAccountController);
  const before = await client.get(serviceAccounts, PLACE);
  await client.delete(serviceAccounts, PLACE);
  await settle();
  const after = await client.get(serviceAccounts, PLACE);
  expect(after.metadata.uid).not.toBe(before.metadata.uid);
});

test("changes by a user are kept", async () => {
  const { client, settle } = await startController(defaultAccountController);
  const body = { imagePullSecrets: [{ name: "key" }] };
  const patched = await client.patch(serviceAccounts, PLACE, { type: "merge", body });
  await settle();
  expect(await client.get(serviceAccounts, PLACE)).toBe(patched);
});
