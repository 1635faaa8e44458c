import { expect, test } from "vitest";
import { startController } from "../../../test/builders/controller.ts";
import { configMapBody } from "../../../test/builders/resources.ts";
import { refusalCode } from "../../../test/contracts/refusal.ts";
import type { Client } from "../../api/client.ts";
import type { Namespace } from "../../api/generated/core.ts";
import { configMaps, namespaces } from "../../api/resources.ts";
import type { Controller } from "./controller.ts";
import { keepPerNamespace } from "./per-namespace.ts";

const NAME = "kept";

const keeper: Controller = {
  name: "keeper",
  start: (context) =>
    keepPerNamespace(context, {
      type: configMaps,
      name: NAME,
      queue: "kept",
      desired: (namespace) => configMapBody({ name: NAME, namespace }, { is: namespace }),
      repair: (found) => {
        const is = found.metadata.namespace ?? "";
        return found.data?.["is"] === is ? undefined : { ...found, data: { is } };
      },
    }),
};

async function createNamespace(client: Client, name: string): Promise<Namespace> {
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  return client.create(namespaces, body as unknown as Namespace);
}

const kept = (namespace: string) => ({ namespace, name: NAME });

test("every existing and every new namespace gets the object", async () => {
  const { client, settle } = await startController(keeper, async (early) => {
    await createNamespace(early, "before");
  });
  await createNamespace(client, "after");
  await settle();
  const { items } = await client.list(configMaps);
  expect(items.map(({ data }) => data?.["is"])).toEqual([
    "after",
    "before",
    "default",
    "kube-node-lease",
    "kube-public",
    "kube-system",
  ]);
});

test("a deleted object is recreated", async () => {
  const { client, settle } = await startController(keeper);
  const first = await client.get(configMaps, kept("default"));
  await client.delete(configMaps, kept("default"));
  await settle();
  const second = await client.get(configMaps, kept("default"));
  expect(second.data).toEqual(first.data);
  expect(second.metadata.uid).not.toBe(first.metadata.uid);
});

test("a changed object is repaired; fields of other writers are kept", async () => {
  const { client, settle } = await startController(keeper);
  const change = { metadata: { labels: { mine: "yes" } }, data: { is: "wrong", more: "x" } };
  await client.patch(configMaps, kept("default"), { type: "merge", body: change });
  await settle();
  const { data, metadata } = await client.get(configMaps, kept("default"));
  expect(data).toEqual({ is: "default" });
  expect(metadata.labels).toEqual({ mine: "yes" });
});

test("nothing is written if the object is already correct", async () => {
  const { server, client, settle } = await startController(keeper);
  const { metadata } = await client.patch(configMaps, kept("default"), {
    type: "merge",
    body: { metadata: { labels: { mine: "yes" } } },
  });
  await settle();
  expect(String(server.store.revision)).toBe(metadata.resourceVersion);
});

test("objects with other names are ignored", async () => {
  const { server, client, settle } = await startController(keeper);
  const made = await client.create(configMaps, configMapBody({ name: "other" }));
  await settle();
  expect(String(server.store.revision)).toBe(made.metadata.resourceVersion);
});

test("a terminating namespace gets no new object", async () => {
  const { server, client, settle } = await startController(keeper);
  await createNamespace(client, "going");
  await settle();
  await client.delete(namespaces, { name: "going" });
  await client.delete(configMaps, kept("going"));
  await settle();
  expect(await refusalCode(client.get(configMaps, kept("going")))).toBe("404 NotFound");
  expect(server.clock.untilNextMs()).toBeUndefined();
});

test("a rejected write is retried", async () => {
  let refusals = 3;
  const { server, client } = await startController({
    ...keeper,
    start: (context) => {
      const create: Client["create"] = (type, object) => {
        const isOurs = object.metadata.namespace === "default" && refusals-- > 0;
        if (isOurs) return Promise.reject(new Error("disk full"));
        return context.client.create(type, object);
      };
      return keeper.start({ ...context, client: { ...context.client, create } });
    },
  });
  for (const delayMs of [50, 100, 200]) {
    expect(await refusalCode(client.get(configMaps, kept("default")))).toBe("404 NotFound");
    expect(server.clock.untilNextMs()).toBe(delayMs);
    server.clock.advance(delayMs);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect((await client.get(configMaps, kept("default"))).data).toEqual({ is: "default" });
});

test("after stop nothing is recreated", async () => {
  const { client, settle, stop } = await startController(keeper);
  stop();
  await client.delete(configMaps, kept("default"));
  await createNamespace(client, "late");
  await settle();
  const { items } = await client.list(configMaps, { fieldSelector: `metadata.name=${NAME}` });
  expect(items.map(({ metadata }) => metadata.namespace)).not.toContain("default");
  expect(items.map(({ metadata }) => metadata.namespace)).not.toContain("late");
});
