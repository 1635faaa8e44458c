/** The scheduler with pods that preempt others. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type AtWork, startController } from "../../../test/builders/controller.ts";
import { podBody } from "../../../test/builders/resources.ts";
import type { Client, ResourceType } from "../../api/client.ts";
import type { Node } from "../../api/generated/core.ts";
import type { PriorityClass } from "../../api/generated/scheduling.ts";
import { events, nodes, pods } from "../../api/resources.ts";
import { silentLog } from "../../base/log.ts";
import { Metrics } from "../../base/metrics.ts";
import { PATIENCE_MS } from "./pending-pods.ts";
import { schedulerController } from "./scheduler.ts";

const priorityClasses: ResourceType<PriorityClass> = {
  group: "scheduling.k8s.io",
  version: "v1",
  resource: "priorityclasses",
  kind: "PriorityClass",
  namespaced: false,
};

let work: AtWork;
beforeEach(async () => {
  work = await startController(schedulerController, prepare);
});
afterEach(() => work.stop());

/** Creates a node with two cores, and priority classes. */
async function prepare(client: Client): Promise<void> {
  const capacity = { cpu: "2", memory: "4Gi", pods: "10" };
  const body = { apiVersion: "v1", kind: "Node", metadata: { name: "n" }, spec: {} };
  const made = await client.create(nodes, { ...body, status: { capacity } } as unknown as Node);
  await client.update(nodes, { ...made, spec: {} });
  const values = { low: 1, high: 10, higher: 20, patient: 10 };
  for (const [name, value] of Object.entries(values)) {
    const kind = { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name } };
    const policy = name === "patient" ? { preemptionPolicy: "Never" } : {};
    await client.create(priorityClasses, { ...kind, value, ...policy });
  }
}

async function add(name: string, cpu: string, priorityClassName: string): Promise<void> {
  const containers = [{ name: "c", image: "i", resources: { requests: { cpu } } }];
  await work.client.create(pods, podBody({ name }, { containers, priorityClassName }));
  await settled();
}

async function settled(): Promise<void> {
  for (let looks = 0; looks < 3; looks++) await work.settle();
}

const podNamed = (name: string) => work.client.get(pods, { namespace: "default", name });
const nodeOf = async (name: string) => (await podNamed(name)).spec.nodeName ?? "none";
const isGoing = async (name: string) =>
  (await podNamed(name)).metadata.deletionTimestamp !== undefined;

/** What the node does when the processes have ended. */
async function end(name: string): Promise<void> {
  await work.client.delete(pods, { namespace: "default", name }, { gracePeriodSeconds: 0 });
  await settled();
}

async function eventsOf(name: string): Promise<readonly string[]> {
  const { items } = await work.client.list(events);
  return items
    .filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ type, reason, message }) => `${type} ${reason} ${message}`);
}

test("a pod of lower priority is marked and deleted, and the other takes its place", async () => {
  await add("a", "1", "low");
  await add("b", "1", "high");
  await add("c", "1", "high");
  expect(await podNamed("a")).toMatchObject({
    metadata: { deletionTimestamp: "2026-01-01T00:00:30Z" },
    status: {
      conditions: expect.arrayContaining([
        expect.objectContaining({
          type: "DisruptionTarget",
          status: "True",
          reason: "PreemptionByScheduler",
          message: "default-scheduler: preempting to accommodate a higher priority pod",
        }),
      ]),
    },
  });
  const { metadata, status } = await podNamed("c");
  expect(await eventsOf("a")).toContain(
    `Normal Preempted Preempted by pod ${metadata.uid} on node n`,
  );
  expect(status).toMatchObject({
    nominatedNodeName: "n",
    conditions: [{ type: "PodScheduled", message: "0/1 nodes are available: 1 Insufficient cpu." }],
  });
  expect(await nodeOf("c")).toBe("none");
  expect(await isGoing("b")).toBe(false);
  await end("a");
  expect(await nodeOf("c")).toBe("n");
  expect((await podNamed("c")).status.nominatedNodeName).toBeUndefined();
});

test("resources of a nominated pod are not given to pods of lower priority", async () => {
  await add("a", "1", "low");
  await add("b", "1", "low");
  await add("big", "2", "high");
  expect([await isGoing("a"), await isGoing("b")]).toEqual([true, true]);
  await add("thief", "1", "low");
  await end("a");
  expect(await nodeOf("thief")).toBe("none");
  await end("b");
  expect([await nodeOf("big"), await nodeOf("thief")]).toEqual(["n", "none"]);
});

test("two equal pods each preempt one pod, and no more", async () => {
  for (const name of ["a", "b"]) await add(name, "1", "low");
  for (const name of ["c", "d"]) await add(name, "1", "high");
  expect([await isGoing("a"), await isGoing("b")]).toEqual([true, true]);
  await end("b");
  await end("a");
  expect([await nodeOf("c"), await nodeOf("d")]).toEqual(["n", "n"]);
});

test("a pod with preemptionPolicy Never waits and its condition says why", async () => {
  await add("a", "2", "low");
  await add("b", "2", "patient");
  work.server.clock.advance(PATIENCE_MS);
  await settled();
  expect(await isGoing("a")).toBe(false);
  expect((await podNamed("b")).status.conditions?.[0]?.message).toBe(
    "0/1 nodes are available: 1 Insufficient cpu. " +
      "no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.",
  );
});

test("a later pod of higher priority takes over the nomination", async () => {
  await add("a", "2", "low");
  await add("b", "2", "high");
  await add("c", "2", "higher");
  expect((await podNamed("c")).status.nominatedNodeName).toBe("n");
  expect((await podNamed("b")).status.nominatedNodeName).toBeUndefined();
  await end("a");
  expect([await nodeOf("c"), await nodeOf("b")]).toEqual(["n", "none"]);
});

test("after a restart a nominated pod still waits for its victims to end", async () => {
  await add("a", "1", "low");
  await add("b", "1", "low");
  await add("c", "1", "high");
  const gone = (await isGoing("a")) ? "a" : "b";
  const other = gone === "a" ? "b" : "a";
  work.stop();
  const { client, server, settle } = work;
  const { clock, random } = server;
  const own = { log: silentLog, metrics: new Metrics() };
  const again = await schedulerController.start({ client, clock, random, ...own });
  await settle();
  expect(await isGoing(other)).toBe(false);
  await end(gone);
  expect(await nodeOf("c")).toBe("n");
  again.stop();
});
