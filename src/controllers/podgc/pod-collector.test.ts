import { afterEach, expect, test } from "vitest";
import { type AtWork, startController } from "../../../test/builders/controller.ts";
import { podBody } from "../../../test/builders/resources.ts";
import type { Node } from "../../api/generated/core.ts";
import { nodes, pods } from "../../api/resources.ts";
import { findObject } from "../../client/find.ts";
import { podCollector } from "./pod-collector.ts";

let work: AtWork;

afterEach(() => work.stop());

const place = (name: string) => ({ namespace: "default", name });
const names = async () => (await work.client.list(pods)).items.map(({ metadata }) => metadata.name);

async function setPhase(name: string, phase: string): Promise<void> {
  const body = { status: { phase } };
  await work.client.patch(pods, place(name), { type: "merge", subresource: "status", body });
}

async function pass(ms: number): Promise<void> {
  work.server.clock.advance(ms);
  await work.settle();
}

test("finished pods beyond the threshold are deleted, the newest are kept", async () => {
  work = await startController(podCollector(2));
  for (const name of ["d", "c", "b", "a"]) {
    await work.client.create(pods, podBody({ name }));
    await setPhase(name, "Succeeded");
    await pass(1000);
  }
  await pass(20_000);
  expect(await names()).toEqual(["a", "b"]);
});

test("a pod without a node that is being deleted is set to Failed and deleted", async () => {
  work = await startController(podCollector());
  const finalizers = ["example.com/hold"];
  await work.client.create(pods, podBody({ name: "p", finalizers }));
  await work.client.delete(pods, place("p"));
  await work.settle();
  expect((await work.client.get(pods, place("p"))).status.phase).toBe("Failed");
  const body = { metadata: { finalizers: null } };
  await work.client.patch(pods, place("p"), { type: "merge", body });
  expect(await names()).toEqual([]);
});

test("deleting a pod without a node succeeds without a conflict", async () => {
  work = await startController(podCollector());
  await work.client.create(pods, podBody({ name: "p" }));
  await expect(work.client.delete(pods, place("p"))).resolves.toBeUndefined();
  await work.settle();
  expect(await names()).toEqual([]);
});

test("pods of a deleted node are deleted after the quarantine", async () => {
  work = await startController(podCollector(), async (client) => {
    await client.create(nodes, aNode());
    await client.create(pods, podBody({ name: "p", finalizers: ["example.com/hold"] }));
    await client.bind(place("p"), "n");
  });
  await work.client.delete(nodes, { name: "n" });
  await pass(39_000);
  expect((await work.client.get(pods, place("p"))).metadata.deletionTimestamp).toBeUndefined();
  await pass(1000);
  const lost = await work.client.get(pods, place("p"));
  expect(lost.status).toMatchObject({
    phase: "Failed",
    conditions: expect.arrayContaining([
      expect.objectContaining({ type: "DisruptionTarget", reason: "DeletionByPodGC" }),
    ]),
  });
  expect(lost.metadata.deletionTimestamp).toBeDefined();
});

test("a node that is registered again in time keeps its pods", async () => {
  work = await startController(podCollector(), async (client) => {
    await client.create(nodes, aNode());
    await client.create(pods, podBody({ name: "p" }));
    await client.bind(place("p"), "n");
  });
  await work.client.delete(nodes, { name: "n" });
  await pass(20_000);
  await work.client.create(nodes, aNode());
  await pass(60_000);
  expect(await names()).toEqual(["p"]);
});

test("on a node out of service, terminating pods are deleted", async () => {
  work = await startController(podCollector(), async (client) => {
    await client.create(nodes, aNode());
    for (const name of ["leaving", "staying"]) {
      await client.create(pods, podBody({ name }));
      await client.bind(place(name), "n");
      const status = { phase: "Running" };
      await client.patch(pods, place(name), {
        type: "merge",
        subresource: "status",
        body: { status },
      });
    }
    await client.delete(pods, place("leaving"));
  });
  const taints = [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" }];
  await work.client.patch(nodes, { name: "n" }, { type: "merge", body: { spec: { taints } } });
  await work.settle();
  expect(await findObject(work.client, pods, place("leaving"))).toBeUndefined();
  expect(await findObject(work.client, pods, place("staying"))).toBeDefined();
});

function aNode(): Node {
  const metadata = { name: "n" };
  return { apiVersion: "v1", kind: "Node", metadata, spec: {}, status: {} } as unknown as Node;
}
