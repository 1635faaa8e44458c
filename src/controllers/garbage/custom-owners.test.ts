/** Owners and dependents of kinds that users define while the collector is running. */
import { expect, test } from "vitest";
import { type AtWork, startController } from "../../../test/builders/controller.ts";
import { aDefinition, aWidget } from "../../../test/builders/custom-resources.ts";
import { deletableTypes, ownerReference } from "../../../test/builders/owned.ts";
import { configMapBody } from "../../../test/builders/resources.ts";
import type { Client, ResourceType } from "../../api/client.ts";
import type { CustomResourceDefinition } from "../../api/generated/apiextensions.ts";
import type { KubeObject } from "../../api/object.ts";
import { configMaps, customResourceDefinitions } from "../../api/resources.ts";
import { findObject } from "../../client/find.ts";
import { garbageCollector } from "./garbage-collector.ts";

const widgets: ResourceType = {
  group: "example.com",
  version: "v1",
  resource: "widgets",
  kind: "Widget",
  namespaced: true,
};

async function define(client: Client): Promise<void> {
  const definition = aDefinition() as unknown as CustomResourceDefinition;
  await client.create(customResourceDefinitions, definition);
}

function createWidget(client: Client, name: string, owners: readonly KubeObject[] = []) {
  const ownerReferences = owners.map((owner) =>
    ownerReference(owner, { blockOwnerDeletion: true }),
  );
  const metadata = { name, namespace: "default", ownerReferences };
  return client.create(widgets, { ...aWidget(), metadata });
}

function createConfigMap(client: Client, name: string, owners: readonly KubeObject[]) {
  const ownerReferences = owners.map((owner) => ownerReference(owner));
  return client.create(configMaps, configMapBody({ name, ownerReferences }));
}

const find = ({ client }: AtWork, type: ResourceType, name: string) =>
  findObject(client, type, { namespace: "default", name });

test.each(["before", "while"])(
  "dependents of custom resources defined %s it runs are collected",
  async (when) => {
    const atWork = await startController(garbageCollector(deletableTypes), async (client) => {
      if (when === "before") await define(client);
    });
    const { client, settle } = atWork;
    if (when === "while") await define(client);
    await settle();
    const owner = await createWidget(client, "owner");
    const part = await createWidget(client, "part", [owner]);
    await createConfigMap(client, "settings", [part]);
    await settle();
    await client.delete(widgets, { namespace: "default", name: "owner" });
    await settle();
    expect(await find(atWork, widgets, "part")).toBeUndefined();
    expect(await find(atWork, configMaps, "settings")).toBeUndefined();
    atWork.stop();
  },
);

test("Foreground and Orphan work for custom resources, without strategic merge", async () => {
  const atWork = await startController(garbageCollector(deletableTypes), define);
  const { client, settle } = atWork;
  const [one, other] = [await createWidget(client, "one"), await createWidget(client, "other")];
  await createWidget(client, "mine", [one]);
  await createWidget(client, "kept", [other]);
  await settle();
  const place = (name: string) => ({ namespace: "default", name });
  await client.delete(widgets, place("one"), { propagationPolicy: "Foreground" });
  await client.delete(widgets, place("other"), { propagationPolicy: "Orphan" });
  await settle();
  expect(await find(atWork, widgets, "one")).toBeUndefined();
  expect(await find(atWork, widgets, "mine")).toBeUndefined();
  expect(await find(atWork, widgets, "other")).toBeUndefined();
  const kept = await find(atWork, widgets, "kept");
  expect(kept?.metadata.ownerReferences ?? []).toEqual([]);
  atWork.stop();
});
