import { expect, test } from "vitest";
import { type AtWork, startController } from "../../../test/builders/controller.ts";
import { aDefinition, aWidget } from "../../../test/builders/custom-resources.ts";
import { deletableTypes } from "../../../test/builders/owned.ts";
import { configMapBody, jobBody, podBody } from "../../../test/builders/resources.ts";
import type { Client, ResourceType } from "../../api/client.ts";
import type { CustomResourceDefinition } from "../../api/generated/apiextensions.ts";
import type { Namespace } from "../../api/generated/core.ts";
import {
  configMaps,
  customResourceDefinitions,
  jobs,
  namespaces,
  pods,
} from "../../api/resources.ts";
import { findObject } from "../../client/find.ts";
import type { Controller } from "../runtime/controller.ts";
import { namespaceController } from "./namespace-controller.ts";

const controller = namespaceController(deletableTypes);
const X = { name: "x" };
const HELD = { finalizers: ["example.com/hold"] };
const inX = (name: string) => ({ namespace: "x", name });

async function createNamespace(client: Client, ...finalizers: string[]): Promise<void> {
  const body = { apiVersion: "v1", kind: "Namespace", metadata: X, spec: { finalizers } };
  await client.create(namespaces, body as unknown as Namespace);
}

async function deleteNamespace({ client, settle }: AtWork): Promise<void> {
  await client.delete(namespaces, X);
  await settle();
}

async function conditionOf(client: Client, type: string) {
  const { status } = await client.get(namespaces, X);
  const found = status.conditions?.find((condition) => condition.type === type);
  return found && [found.status, found.reason, found.message];
}

async function release({ client, settle }: AtWork, type: ResourceType, name: string) {
  const body = { metadata: { finalizers: null } };
  await client.patch(type, inX(name), { type: "merge", body });
  await settle();
}

async function pass({ server, settle }: AtWork, seconds: number): Promise<void> {
  server.clock.advance(seconds * 1000);
  await settle();
}

test("a namespace is deleted with all its contents, and nothing else", async () => {
  const atWork = await startController(controller);
  const { client, server } = atWork;
  await createNamespace(client);
  await client.create(configMaps, configMapBody({ name: "a", namespace: "x" }));
  await client.create(configMaps, configMapBody({ name: "a" }));
  await client.create(jobs, jobBody({ name: "j", namespace: "x" }));
  await client.create(pods, podBody({ name: "p", namespace: "x" }));
  await atWork.settle();
  await deleteNamespace(atWork);
  expect(await findObject(client, namespaces, X)).toBeUndefined();
  for (const type of deletableTypes.filter(({ namespaced }) => namespaced)) {
    expect((await client.list(type, { namespace: "x" })).items).toEqual([]);
  }
  expect(await findObject(client, configMaps, { namespace: "default", name: "a" })).toBeDefined();
  expect(server.clock.untilNextMs()).toBeUndefined();
});

test("an active namespace is not changed", async () => {
  const atWork = await startController(controller);
  const { client, server } = atWork;
  await createNamespace(client);
  const made = await client.create(configMaps, configMapBody({ name: "a", namespace: "x" }));
  await atWork.settle();
  expect(String(server.store.revision)).toBe(made.metadata.resourceVersion);
});

test("other objects are kept while there are pods", async () => {
  const atWork = await startController(controller);
  const { client } = atWork;
  await createNamespace(client);
  await client.create(configMaps, configMapBody({ name: "a", namespace: "x" }));
  for (const name of ["p", "q"]) {
    await client.create(pods, podBody({ name, namespace: "x" }, { nodeName: "n" }));
  }
  await deleteNamespace(atWork);
  const { metadata } = await client.get(pods, inX("p"));
  expect(metadata.deletionGracePeriodSeconds).toBe(30);
  expect(await conditionOf(client, "NamespaceContentRemaining")).toEqual([
    "True",
    "SomeResourcesRemain",
    "Some resources are remaining: pods. has 2 resource instances",
  ]);
  expect(await findObject(client, configMaps, inX("a"))).toBeDefined();
  const now = { gracePeriodSeconds: 0 };
  await client.delete(pods, inX("p"), now);
  await atWork.settle();
  expect(await findObject(client, configMaps, inX("a"))).toBeDefined();
  await client.delete(pods, inX("q"), now);
  await atWork.settle();
  expect(await findObject(client, namespaces, X)).toBeUndefined();
});

test("objects with finalizers are waited for and reported", async () => {
  const atWork = await startController(controller);
  const { client } = atWork;
  await createNamespace(client);
  await client.create(configMaps, configMapBody({ name: "a", namespace: "x", ...HELD }));
  await deleteNamespace(atWork);
  expect(await conditionOf(client, "NamespaceFinalizersRemaining")).toEqual([
    "True",
    "SomeFinalizersRemain",
    "Some content in the namespace has finalizers remaining: " +
      "example.com/hold in 1 resource instances",
  ]);
  expect(await conditionOf(client, "NamespaceDeletionContentFailure")).toEqual([
    "False",
    "ContentDeleted",
    "All content successfully deleted, may be waiting on finalization",
  ]);
  await release(atWork, configMaps, "a");
  await pass(atWork, 7);
  expect(await findObject(client, namespaces, X)).toBeDefined();
  await pass(atWork, 1);
  expect(await findObject(client, namespaces, X)).toBeUndefined();
});

test("a pod that exceeds its grace period is reported as a failure and checked again", async () => {
  const atWork = await startController(controller);
  const { client } = atWork;
  await createNamespace(client);
  await client.create(pods, podBody({ name: "p", namespace: "x" }, { nodeName: "n" }));
  await deleteNamespace(atWork);
  await pass(atWork, 30);
  expect(await conditionOf(client, "NamespaceDeletionContentFailure")).toEqual([
    "True",
    "ContentDeletionFailed",
    "Failed to delete all resource types, 1 remaining: " +
      "unexpected items still remain in namespace: x for gvr: /v1, Resource=pods",
  ]);
  await client.delete(pods, inX("p"), { gracePeriodSeconds: 0 });
  await atWork.settle();
  expect(await findObject(client, namespaces, X)).toBeUndefined();
});

test("another finalizer keeps the empty namespace", async () => {
  const atWork = await startController(controller);
  const { client } = atWork;
  await createNamespace(client, "example.com/mine");
  await client.create(configMaps, configMapBody({ name: "a", namespace: "x" }));
  await deleteNamespace(atWork);
  const { spec, status } = await client.get(namespaces, X);
  expect(spec.finalizers).toEqual(["example.com/mine"]);
  expect(status.conditions?.map(({ status }) => status)).toEqual(Array(5).fill("False"));
  expect((await client.list(configMaps, { namespace: "x" })).items).toEqual([]);
});

test("objects in foreground deletion do not wait for their dependents", async () => {
  const atWork = await startController(controller);
  const { client } = atWork;
  await createNamespace(client);
  await client.create(jobs, jobBody({ name: "j", namespace: "x" }));
  await client.delete(jobs, inX("j"), { propagationPolicy: "Foreground" });
  expect((await client.get(jobs, inX("j"))).metadata.finalizers).toEqual(["foregroundDeletion"]);
  await deleteNamespace(atWork);
  expect(await findObject(client, namespaces, X)).toBeUndefined();
});

test("a namespace deleted before the start is emptied", async () => {
  const { client } = await startController(controller, async (early) => {
    await createNamespace(early);
    await early.create(configMaps, configMapBody({ name: "a", namespace: "x" }));
    await early.delete(namespaces, X);
  });
  expect(await findObject(client, namespaces, X)).toBeUndefined();
});

test("a resource that cannot be deleted keeps the namespace but not other resources", async () => {
  let isRefused = true;
  const refused: Controller = {
    ...controller,
    start: (context) => {
      const remove: Client["delete"] = async (type, ...request) => {
        if (isRefused && type.resource === "configmaps") throw new Error("not now");
        return context.client.delete(type, ...request);
      };
      return controller.start({ ...context, client: { ...context.client, delete: remove } });
    },
  };
  const atWork = await startController(refused);
  const { client } = atWork;
  await createNamespace(client);
  await client.create(configMaps, configMapBody({ name: "a", namespace: "x" }));
  await client.create(jobs, jobBody({ name: "j", namespace: "x" }));
  await deleteNamespace(atWork);
  expect(await findObject(client, jobs, inX("j"))).toBeUndefined();
  expect(await conditionOf(client, "NamespaceDeletionContentFailure")).toEqual([
    "True",
    "ContentDeletionFailed",
    "Failed to delete all resource types, 1 remaining: not now",
  ]);
  isRefused = false;
  await pass(atWork, 60);
  expect(await findObject(client, namespaces, X)).toBeUndefined();
});

test("after stop no namespace is emptied", async () => {
  const atWork = await startController(controller);
  const { client } = atWork;
  await createNamespace(client);
  atWork.stop();
  await deleteNamespace(atWork);
  expect((await client.get(namespaces, X)).status.phase).toBe("Terminating");
});

test("custom resources are deleted as well", async () => {
  const definition = aDefinition() as unknown as CustomResourceDefinition;
  const atWork = await startController(controller, async (client) => {
    await createNamespace(client);
    await client.create(customResourceDefinitions, definition);
  });
  const { client } = atWork;
  const { group, names } = definition.spec;
  const type = { group, version: "v1", resource: names.plural, kind: "Widget", namespaced: true };
  await client.create(type, { ...aWidget(), metadata: inX("w") });
  await deleteNamespace(atWork);
  expect(await findObject(client, type, inX("w"))).toBeUndefined();
  expect(await findObject(client, namespaces, X)).toBeUndefined();
  atWork.stop();
});
