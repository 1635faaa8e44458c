import { expect, test } from "vitest";
import { type AtWork, startController } from "../../../test/builders/controller.ts";
import {
  deletableTypes,
  ownerReference,
  priorityClassBody,
  priorityClasses,
} from "../../../test/builders/owned.ts";
import { configMapBody, jobBody, podBody } from "../../../test/builders/resources.ts";
import type { Client, DeleteRequest } from "../../api/client.ts";
import type { ConfigMap } from "../../api/generated/core.ts";
import type { OwnerReference } from "../../api/generated/meta.ts";
import type { KubeObject } from "../../api/object.ts";
import { configMaps, events, jobs, pods } from "../../api/resources.ts";
import { type Log, silentLog } from "../../base/log.ts";
import { findObject } from "../../client/find.ts";
import type { Controller } from "../runtime/controller.ts";
import { garbageCollector } from "./garbage-collector.ts";

const collector = garbageCollector(deletableTypes);
const BLOCKS = { blockOwnerDeletion: true };
const HOLD = "example.com/hold";

/** Creates a ConfigMap with these owner references. */
async function create(
  client: Client,
  name: string,
  owners: readonly OwnerReference[] = [],
  more: { readonly finalizers?: string[]; readonly namespace?: string } = {},
): Promise<ConfigMap> {
  const ownerReferences = [...owners];
  return client.create(configMaps, configMapBody({ name, ownerReferences, ...more }));
}

async function names(client: Client): Promise<(string | undefined)[]> {
  return (await client.list(configMaps)).items.map(({ metadata }) => metadata.name);
}

async function ownersOf(client: Client, name: string): Promise<string[]> {
  const { metadata } = await client.get(configMaps, { namespace: "default", name });
  return (metadata.ownerReferences ?? []).map((reference) => reference.name);
}

async function deleted(atWork: AtWork, name: string, request: DeleteRequest = {}): Promise<void> {
  await atWork.client.delete(configMaps, { namespace: "default", name }, request);
  await atWork.settle();
}

async function letGo({ client, settle }: AtWork, name: string): Promise<void> {
  const place = { namespace: "default", name };
  const { metadata } = await client.get(configMaps, place);
  const finalizers = (metadata.finalizers ?? []).filter((finalizer) => finalizer !== HOLD);
  await client.patch(configMaps, place, { type: "merge", body: { metadata: { finalizers } } });
  await settle();
}

test("an object is deleted with its last owner, and so are its own dependents", async () => {
  const atWork = await startController(collector);
  const { client } = atWork;
  const owner = await create(client, "owner");
  const dependent = await create(client, "dependent", [ownerReference(owner)]);
  await create(client, "theirs", [ownerReference(dependent)]);
  await create(client, "other");
  await atWork.settle();
  expect(await names(client)).toEqual(["dependent", "other", "owner", "theirs"]);
  await deleted(atWork, "owner");
  expect(await names(client)).toEqual(["other"]);
});

test("an object with one remaining owner stays and loses the other reference", async () => {
  const atWork = await startController(collector);
  const { client } = atWork;
  const [one, other] = [await create(client, "one"), await create(client, "other")];
  await create(client, "dependent", [ownerReference(one), ownerReference(other)]);
  await deleted(atWork, "one");
  expect(await ownersOf(client, "dependent")).toEqual(["other"]);
  await deleted(atWork, "other");
  expect(await names(client)).toEqual([]);
});

test("dependents of owners deleted before the start are collected at the start", async () => {
  const { client } = await startController(collector, async (early) => {
    const owner = await create(early, "owner");
    const dependent = await create(early, "dependent", [ownerReference(owner)]);
    await create(early, "theirs", [ownerReference(dependent)]);
    const kept = await create(early, "kept");
    await create(early, "a-dependent", [ownerReference(kept)]);
    await early.delete(configMaps, { namespace: "default", name: "owner" });
  });
  expect(await names(client)).toEqual(["a-dependent", "kept"]);
});

test.each([
  ["that never existed", { uid: "00000000-0000-4000-8000-00000000dead" }],
  ["that has another name", { name: "elsewhere" }],
  ["that has another kind", { kind: "Secret" }],
])("an owner %s does not count", async (_, wrong) => {
  const { client, settle } = await startController(collector);
  const owner = await create(client, "owner");
  await create(client, "dependent", [ownerReference(owner, wrong)]);
  await settle();
  expect(await names(client)).toEqual(["owner"]);
});

test("an owner in another namespace does not count, and an event is recorded", async () => {
  const { client, settle } = await startController(collector);
  const owner = await create(client, "owner", [], { namespace: "kube-public" });
  const { metadata } = await create(client, "dependent", [ownerReference(owner)]);
  await settle();
  expect(await names(client)).toEqual(["owner"]);
  const [event] = (await client.list(events)).items;
  const shown = `[v1/ConfigMap, namespace: default, name: owner, uid: ${owner.metadata.uid}]`;
  expect(event).toMatchObject({
    type: "Warning",
    reason: "OwnerRefInvalidNamespace",
    message: `ownerRef ${shown} does not exist in namespace "default"`,
    involvedObject: { kind: "ConfigMap", name: "dependent", uid: metadata.uid },
    source: { component: "garbage-collector-controller" },
  });
});

test("a cluster-scoped owner owns objects in every namespace", async () => {
  const { client, settle } = await startController(collector);
  const owner = await client.create(priorityClasses, priorityClassBody({ name: "owner" }));
  await create(client, "here", [ownerReference(owner)]);
  await create(client, "there", [ownerReference(owner)], { namespace: "kube-public" });
  await settle();
  expect(await names(client)).toEqual(["here", "there"]);
  await client.delete(priorityClasses, { name: "owner" });
  await settle();
  expect(await names(client)).toEqual([]);
});

test("an object whose owner cannot be looked up is kept", async () => {
  const { client, settle } = await startController(collector);
  const owner = await create(client, "owner");
  const metadata = { name: "cluster-scoped", ownerReferences: [ownerReference(owner)] };
  await client.create(priorityClasses, priorityClassBody(metadata));
  const foreign = { apiVersion: "example.com/v1", kind: "Thing" };
  await create(client, "foreign", [ownerReference(owner, foreign)]);
  await client.delete(configMaps, { namespace: "default", name: "owner" });
  await settle();
  expect(await names(client)).toEqual(["foreign"]);
  expect(await findObject(client, priorityClasses, { name: "cluster-scoped" })).toBeDefined();
});

test("in the foreground an owner waits only for its blocking dependents", async () => {
  const atWork = await startController(collector);
  const { client } = atWork;
  const owner = await create(client, "owner");
  const held = { finalizers: [HOLD] };
  await create(client, "blocks", [ownerReference(owner, BLOCKS)], held);
  await create(client, "blocks-not", [ownerReference(owner)], held);
  await create(client, "free", [ownerReference(owner, BLOCKS)]);
  await deleted(atWork, "owner", { propagationPolicy: "Foreground" });
  expect(await names(client)).toEqual(["blocks", "blocks-not", "owner"]);
  await letGo(atWork, "blocks");
  expect(await names(client)).toEqual(["blocks-not"]);
  await letGo(atWork, "blocks-not");
  expect(await names(client)).toEqual([]);
});

test("in the foreground the last dependent in a chain is deleted first", async () => {
  const atWork = await startController(collector);
  const { client } = atWork;
  const owner = await create(client, "owner");
  const dependent = await create(client, "dependent", [ownerReference(owner, BLOCKS)]);
  await create(client, "theirs", [ownerReference(dependent, BLOCKS)]);
  const { resourceVersion } = await client.list(configMaps);
  const gone: (string | undefined)[] = [];
  client.watch(
    configMaps,
    { resourceVersion },
    {
      onEvent: ({ type, object }) => {
        if (type === "DELETED") gone.push(object.metadata.name);
      },
      onEnd: () => {},
    },
  );
  await deleted(atWork, "owner", { propagationPolicy: "Foreground" });
  expect(gone).toEqual(["theirs", "dependent", "owner"]);
});

test("a dependent with another owner is kept and no longer blocks", async () => {
  const atWork = await startController(collector);
  const { client } = atWork;
  const [owner, other] = [await create(client, "owner"), await create(client, "other")];
  await create(client, "shared", [ownerReference(owner, BLOCKS), ownerReference(other, BLOCKS)]);
  await deleted(atWork, "owner", { propagationPolicy: "Foreground" });
  expect(await names(client)).toEqual(["other", "shared"]);
  expect(await ownersOf(client, "shared")).toEqual(["other"]);
});

test("an owner is deleted when its dependent no longer blocks it", async () => {
  const atWork = await startController(collector);
  const { client, settle } = atWork;
  const owner = await create(client, "owner");
  const reference = ownerReference(owner, BLOCKS);
  await create(client, "dependent", [reference], { finalizers: [HOLD] });
  await deleted(atWork, "owner", { propagationPolicy: "Foreground" });
  expect(await names(client)).toEqual(["dependent", "owner"]);
  const body = { metadata: { ownerReferences: [{ ...reference, blockOwnerDeletion: false }] } };
  const place = { namespace: "default", name: "dependent" };
  await client.patch(configMaps, place, { type: "merge", body });
  await settle();
  expect(await names(client)).toEqual(["dependent"]);
});

test("objects that block one another in a cycle are all deleted", async () => {
  const atWork = await startController(collector);
  const { client } = atWork;
  const first = await create(client, "a");
  const second = await create(client, "b", [ownerReference(first, BLOCKS)]);
  const third = await create(client, "c", [ownerReference(second, BLOCKS)]);
  const body = { metadata: { ownerReferences: [ownerReference(third, BLOCKS)] } };
  await client.patch(configMaps, { namespace: "default", name: "a" }, { type: "merge", body });
  await deleted(atWork, "a", { propagationPolicy: "Foreground" });
  expect(await names(client)).toEqual([]);
});

test("an owner deleted with Orphan leaves all its dependents", async () => {
  const atWork = await startController(collector);
  const { client } = atWork;
  const [owner, other] = [await create(client, "owner"), await create(client, "other")];
  await create(client, "dependent", [ownerReference(owner, BLOCKS)]);
  await create(client, "shared", [ownerReference(other), ownerReference(owner)]);
  await deleted(atWork, "owner", { propagationPolicy: "Orphan" });
  expect(await names(client)).toEqual(["dependent", "other", "shared"]);
  expect(await ownersOf(client, "dependent")).toEqual([]);
  expect(await ownersOf(client, "shared")).toEqual(["other"]);
});

test("more dependents than one batch are all orphaned", async () => {
  const atWork = await startController(collector);
  const { client } = atWork;
  const owner = await create(client, "owner");
  for (let index = 0; index < 120; index++) {
    await create(client, `d${index}`, [ownerReference(owner)]);
  }
  await deleted(atWork, "owner", { propagationPolicy: "Orphan" });
  expect(await names(client)).toHaveLength(120);
});

test("a Job deleted without a policy orphans its pods", async () => {
  const { client, settle } = await startController(collector);
  const job = await client.create(jobs, jobBody({ name: "j" }));
  const ownerReferences = [ownerReference(job, { ...BLOCKS, controller: true })];
  await client.create(pods, podBody({ name: "p", ownerReferences }));
  await client.delete(jobs, { namespace: "default", name: "j" });
  await settle();
  expect((await client.list(jobs)).items).toEqual([]);
  const [pod] = (await client.list(pods)).items;
  expect(pod?.metadata.ownerReferences).toBeUndefined();
});

test("a collected object's own finalizers decide about its dependents", async () => {
  const atWork = await startController(collector);
  const { client } = atWork;
  const owner = await create(client, "owner");
  const more = { finalizers: ["orphan"] };
  const dependent = await create(client, "dependent", [ownerReference(owner)], more);
  await create(client, "theirs", [ownerReference(dependent)]);
  await deleted(atWork, "owner");
  expect(await names(client)).toEqual(["theirs"]);
});

/** The collector with a modified client. */
function collectorWith(change: (client: Client) => Partial<Client>, log?: Log): Controller {
  return {
    ...collector,
    start: (context) => {
      const { client } = context;
      const own = { ...context, ...(log ? { log } : {}) };
      return collector.start({ ...own, client: { ...client, ...change(client) } });
    },
  };
}

test("an owner added just before the deletion prevents it", async () => {
  let rescue: ((client: Client) => Promise<unknown>) | undefined;
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (message: string) => warnings.push(message) };
  const late = collectorWith(
    (client) => ({
      delete: async (...request) => {
        await rescue?.(client);
        rescue = undefined;
        return client.delete(...request);
      },
    }),
    log,
  );
  const atWork = await startController(late);
  const { client, server, settle } = atWork;
  const [owner, other] = [await create(client, "owner"), await create(client, "other")];
  await create(client, "dependent", [ownerReference(owner)]);
  const body = { metadata: { ownerReferences: [ownerReference(owner), ownerReference(other)] } };
  const place = { namespace: "default", name: "dependent" };
  rescue = (early) => early.patch(configMaps, place, { type: "merge", body });
  await deleted(atWork, "owner");
  server.clock.advance(60_000);
  await settle();
  expect(rescue).toBeUndefined();
  expect(await names(client)).toEqual(["dependent", "other"]);
  expect(await ownersOf(client, "dependent")).toEqual(["other"]);
  // The precondition failed as intended, which must not log a warning.
  expect(warnings).toEqual([]);
});

test("nothing is collected while the server does not answer", async () => {
  let isDown = false;
  const doubtful = collectorWith((client) => ({
    get: async (...request) => {
      if (isDown) throw new Error("no answer");
      return client.get(...request);
    },
  }));
  const atWork = await startController(doubtful);
  const { client, server, settle } = atWork;
  const owner = await create(client, "owner");
  await create(client, "dependent", [ownerReference(owner)]);
  isDown = true;
  await deleted(atWork, "owner");
  expect(await names(client)).toEqual(["dependent"]);
  isDown = false;
  server.clock.advance(60_000);
  await settle();
  expect(await names(client)).toEqual([]);
});

test("an owner that no cache shows yet is checked again later", async () => {
  const blind = collectorWith((client) => ({
    watch: (type, request, handlers) => {
      const isShown = type.resource !== priorityClasses.resource;
      const onEvent: typeof handlers.onEvent = isShown ? handlers.onEvent : () => {};
      return client.watch(type, request, { ...handlers, onEvent });
    },
  }));
  const { client, server, settle } = await startController(blind);
  const owner = await client.create(priorityClasses, priorityClassBody({ name: "owner" }));
  await create(client, "dependent", [ownerReference(owner)]);
  await settle();
  expect(await names(client)).toEqual(["dependent"]);
  await client.delete(priorityClasses, { name: "owner" });
  server.clock.advance(30_000);
  await settle();
  expect(await names(client)).toEqual([]);
});

test("after stop nothing is collected", async () => {
  const atWork = await startController(collector);
  const { client } = atWork;
  const owner: KubeObject = await create(client, "owner");
  await create(client, "dependent", [ownerReference(owner)]);
  atWork.stop();
  await deleted(atWork, "owner");
  expect(await names(client)).toEqual(["dependent"]);
});
