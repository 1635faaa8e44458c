import { expect, test } from "vitest";
import { startController } from "../../../test/builders/controller.ts";
import { podBody } from "../../../test/builders/resources.ts";
import type { Client, ResourceType } from "../../api/client.ts";
import type { Node, Pod } from "../../api/generated/core.ts";
import type { PriorityClass } from "../../api/generated/scheduling.ts";
import { events, nodes, pods } from "../../api/resources.ts";
import type { Controller } from "../runtime/controller.ts";
import { PATIENCE_MS } from "./pending-pods.ts";
import { schedulerController } from "./scheduler.ts";

type Fields = { readonly [field: string]: unknown };

/** A node with two cores, 4Gi and room for ten pods. */
function nodeBody(name: string, fields: { spec?: Fields; status?: Fields; labels?: Fields } = {}) {
  const capacity = { cpu: "2", memory: "4Gi", pods: "10" };
  const body = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name, ...fields.labels } },
    spec: { ...fields.spec },
    status: { capacity, ...fields.status },
  };
  return body as unknown as Node;
}

const asking = (cpu: string, spec: Fields = {}) => ({
  containers: [{ name: "c", image: "i", resources: { requests: { cpu } } }],
  ...spec,
});

const podNamed = (client: Client, name: string): Promise<Pod> =>
  client.get(pods, { namespace: "default", name });

const nodeOf = async (client: Client, name: string) =>
  (await podNamed(client, name)).spec.nodeName ?? "none";

const conditionOf = async (client: Client, name: string) =>
  (await podNamed(client, name)).status.conditions?.find(({ type }) => type === "PodScheduled");

const nodesOf = (client: Client, ...names: readonly string[]) =>
  Promise.all(names.map((name) => nodeOf(client, name)));

async function eventsOf(client: Client, name: string): Promise<string[]> {
  const { items } = await client.list(events);
  return items
    .filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ type, reason, message }) => `${type} ${reason} ${message}`);
}

/** The scheduler with a client that rejects some bindings. */
function failing(isFailing: () => boolean): Controller {
  return {
    ...schedulerController,
    start: (context) => {
      const { client } = context;
      const bind: Client["bind"] = (pod, node) =>
        isFailing() ? Promise.reject(new Error("gone")) : client.bind(pod, node);
      return schedulerController.start({ ...context, client: { ...client, bind } });
    },
  };
}

const priorityClasses: ResourceType<PriorityClass> = {
  group: "scheduling.k8s.io",
  version: "v1",
  resource: "priorityclasses",
  kind: "PriorityClass",
  namespaced: false,
};

function priorityClass(name: string, value: number): PriorityClass {
  return {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name },
    value,
  };
}

async function finish(client: Client, name: string): Promise<void> {
  const body = { status: { phase: "Succeeded" } };
  const place = { namespace: "default", name };
  await client.patch(pods, place, { type: "merge", subresource: "status", body });
}

/** Every new node gets a not-ready taint; this one then reports that it is ready. */
async function addNode(client: Client, body: Node): Promise<void> {
  const made = await client.create(nodes, body);
  await client.update(nodes, { ...made, spec: body.spec });
}

const one = (client: Client) => addNode(client, nodeBody("n"));

test("a pod is assigned to the only node, and an event is recorded", async () => {
  const { client, settle, stop } = await startController(schedulerController, one);
  await client.create(pods, podBody({ name: "a" }));
  await settle();
  expect(await nodeOf(client, "a")).toBe("n");
  expect(await conditionOf(client, "a")).toMatchObject({ status: "True" });
  const { items } = await client.list(events);
  expect(items).toMatchObject([
    {
      type: "Normal",
      reason: "Scheduled",
      message: "Successfully assigned default/a to n",
      source: { component: "default-scheduler" },
    },
  ]);
  stop();
});

test("pods that existed before the scheduler are placed by age while there is room", async () => {
  const { client, stop } = await startController(schedulerController, async (local, clock) => {
    await one(local);
    for (const name of ["z", "y", "x"]) {
      await local.create(pods, podBody({ name }, asking("1")));
      clock.advance(1000);
    }
  });
  expect(await nodesOf(client, "x", "y", "z")).toEqual(["none", "n", "n"]);
  stop();
});

test("a pod without room waits with a reason and is placed when there is room", async () => {
  const { client, server, settle, stop } = await startController(schedulerController, one);
  for (const name of ["a", "b", "c"]) await client.create(pods, podBody({ name }, asking("1")));
  await settle();
  expect(await nodesOf(client, "a", "b", "c")).toEqual(["n", "n", "none"]);
  expect(await conditionOf(client, "c")).toBeUndefined();
  server.clock.advance(PATIENCE_MS);
  await settle();
  const message =
    "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: " +
    "0/1 nodes are available: 1 No preemption victims found for incoming pod.";
  expect(await conditionOf(client, "c")).toEqual({
    type: "PodScheduled",
    status: "False",
    reason: "Unschedulable",
    message,
    observedGeneration: 1,
    lastProbeTime: null,
    lastTransitionTime: "2026-01-01T00:00:01Z",
  });
  expect(await eventsOf(client, "c")).toEqual([`Warning FailedScheduling ${message}`]);
  await finish(client, "a");
  await settle();
  expect(await nodeOf(client, "c")).toBe("n");
  expect(await conditionOf(client, "c")).toMatchObject({ status: "True" });
  stop();
});

test("a pod too big for every node is reported at once, and fits a later node", async () => {
  const { client, settle, stop } = await startController(schedulerController);
  await client.create(pods, podBody({ name: "a" }, asking("3")));
  await settle();
  expect(await conditionOf(client, "a")).toMatchObject({
    message: "no nodes available to schedule pods",
  });
  await addNode(client, nodeBody("n"));
  await settle();
  expect(await nodeOf(client, "a")).toBe("none");
  await addNode(client, nodeBody("big", { status: { capacity: { cpu: "8", pods: "5" } } }));
  await settle();
  expect(await nodeOf(client, "a")).toBe("big");
  stop();
});

test("a pod is placed when a node becomes schedulable", async () => {
  const { client, settle, stop } = await startController(schedulerController, (local) =>
    addNode(local, nodeBody("n", { spec: { unschedulable: true } })),
  );
  await client.create(pods, podBody({ name: "a" }));
  await settle();
  expect(await eventsOf(client, "a")).toEqual([
    "Warning FailedScheduling 0/1 nodes are available: 1 node(s) were unschedulable. " +
      "no new claims to deallocate, preemption: " +
      "0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
  ]);
  const body = { spec: { unschedulable: false } };
  await client.patch(nodes, { name: "n" }, { type: "merge", body });
  await settle();
  expect(await nodeOf(client, "a")).toBe("n");
  stop();
});

test.each<[string, Fields]>([
  ["with a scheduling gate", { schedulingGates: [{ name: "example.com/gate" }] }],
  ["for another scheduler", { schedulerName: "other" }],
])("a pod %s is not placed", async (_, spec) => {
  const { client, settle, stop } = await startController(schedulerController, one);
  await client.create(pods, podBody({ name: "a" }, spec));
  await settle();
  expect(await nodeOf(client, "a")).toBe("none");
  stop();
});

test("a pod is placed when its last gate is removed", async () => {
  const { client, settle, stop } = await startController(schedulerController, one);
  const schedulingGates = [{ name: "example.com/gate" }];
  await client.create(pods, podBody({ name: "a" }, { schedulingGates }));
  await settle();
  const body = { spec: { schedulingGates: null } };
  await client.patch(pods, { namespace: "default", name: "a" }, { type: "merge", body });
  await settle();
  expect(await nodeOf(client, "a")).toBe("n");
  stop();
});

test("pods placed by others use resources, finished ones do not", async () => {
  const { client, settle, stop } = await startController(schedulerController, async (local) => {
    await one(local);
    await local.create(pods, podBody({ name: "there" }, asking("2", { nodeName: "n" })));
    await local.create(pods, podBody({ name: "over" }, asking("2", { nodeName: "n" })));
    await finish(local, "over");
  });
  await client.create(pods, podBody({ name: "a" }, asking("1")));
  await settle();
  expect(await nodeOf(client, "a")).toBe("none");
  await client.delete(pods, { namespace: "default", name: "there" }, { gracePeriodSeconds: 0 });
  await settle();
  expect(await nodeOf(client, "a")).toBe("n");
  stop();
});

test("freed resources go to the pod with the highest priority", async () => {
  const { client, settle, stop } = await startController(schedulerController, async (local) => {
    await one(local);
    await local.create(pods, podBody({ name: "there" }, asking("2")));
    for (const [name, value] of [
      ["low", 1],
      ["high", 9],
    ] as const) {
      await local.create(priorityClasses, priorityClass(name, value));
    }
  });
  for (const priorityClassName of ["low", "high", "low"]) {
    const spec = asking("2", { priorityClassName });
    await client.create(pods, podBody({ generateName: `${priorityClassName}-` }, spec));
  }
  await settle();
  await finish(client, "there");
  await settle();
  const { items } = await client.list(pods, { fieldSelector: "spec.nodeName=n" });
  const running = items.filter(({ status }) => status.phase === "Pending");
  expect(running.map(({ spec }) => spec.priorityClassName)).toEqual(["high"]);
  stop();
});

test("a failed binding is retried, and no pod is placed twice", async () => {
  let isDown = true;
  const controller = failing(() => isDown);
  const { client, server, settle, stop } = await startController(controller, one);
  for (const name of ["a", "b"]) await client.create(pods, podBody({ name }, asking("1")));
  await settle();
  expect(await nodesOf(client, "a", "b")).toEqual(["none", "none"]);
  isDown = false;
  server.clock.advance(server.clock.untilNextMs() ?? 0);
  await settle();
  expect(await nodesOf(client, "a", "b")).toEqual(["n", "n"]);
  await client.create(pods, podBody({ name: "c" }, asking("1")));
  await settle();
  expect(await nodeOf(client, "c")).toBe("none");
  stop();
});

test("more pods than one round takes are all placed, and only some get events", async () => {
  const { client, server, settle, stop } = await startController(schedulerController, (local) =>
    addNode(local, nodeBody("n", { status: { capacity: { cpu: "1", pods: "1050" } } })),
  );
  for (let each = 0; each < 1100; each++) {
    await client.create(pods, podBody({ name: `p${each}` }));
  }
  for (let round = 0; round < 3; round++) {
    server.clock.advance(1);
    await settle();
  }
  const { items } = await client.list(pods, { fieldSelector: "spec.nodeName=n" });
  expect(items).toHaveLength(1050);
  expect((await client.list(events)).items.length).toBeLessThan(300);
  stop();
});
