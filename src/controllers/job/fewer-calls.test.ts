import { expect, test } from "vitest";
import { INDEXED } from "../../../test/builders/job.ts";
import { aJobCluster } from "../../../test/builders/job-cluster.ts";
import type { Client, PatchRequest } from "../../api/client.ts";
import { pods } from "../../api/resources.ts";

const DELAY_MS = 2_000;

/** A cluster that records the statuses which the controller writes. */
async function aCluster() {
  const written: unknown[] = [];
  const cluster = await aJobCluster({ countsDelayMs: DELAY_MS }, (client) => ({
    updateStatus: (type, object) => {
      if ("status" in object) written.push(object.status);
      return client.updateStatus(type, object);
    },
  }));
  return { ...cluster, written };
}

test("a finished pod takes one status write before its release and one after it", async () => {
  const cluster = await aCluster();
  const created = await cluster.create({ ...INDEXED, completions: 2, parallelism: 2 });
  await cluster.end("Succeeded", 0);
  expect(cluster.written).toMatchObject([{ active: 1, completedIndexes: "0" }]);
  await cluster.end("Succeeded", 1);
  expect(cluster.written).toHaveLength(3);
  const { status } = await cluster.job();
  expect(status).toMatchObject({ completedIndexes: "0,1", succeeded: 2 });
  expect(status.startTime).toBe(created.metadata.creationTimestamp);
  expect((await cluster.list()).flatMap(({ metadata }) => metadata.finalizers ?? [])).toEqual([]);
});

test("a Job whose only pod ends before its first status ends without delay", async () => {
  const cluster = await aCluster();
  await cluster.create({});
  await cluster.end("Succeeded");
  expect(cluster.written).toHaveLength(2);
  expect(await cluster.conditions()).toContain("Complete/CompletionsReached");
});

test("a status with only new counts is delayed, from the first change on", async () => {
  const cluster = await aCluster();
  await cluster.create({ ...INDEXED, completions: 3, parallelism: 2 });
  expect((await cluster.job()).status).toEqual({});
  await cluster.settle(1_000);
  await cluster.edit({ parallelism: 3 });
  expect((await cluster.job()).status).toMatchObject({ active: 3, ready: 0 });
  expect(cluster.written).toHaveLength(1);
});

test("a status that changes more than counts is written at once", async () => {
  const cluster = await aCluster();
  await cluster.create({ ...INDEXED });
  await cluster.edit({ suspend: true });
  expect(await cluster.conditions()).toEqual(["Suspended/JobSuspended"]);
  expect((await cluster.job()).status).not.toHaveProperty("startTime");
});

/** A cluster whose client prefers JSON patches; it records the types of patches to pods. */
async function aPatchingCluster() {
  const types: PatchRequest["type"][] = [];
  const noting = (client: Client): Partial<Client> => ({
    prefersJsonPatches: true,
    patch: (type, name, request) => {
      if (type.resource === "pods") types.push(request.type);
      return client.patch(type, name, request);
    },
  });
  return { ...(await aJobCluster({}, noting)), types };
}

test("a finalizer is removed by its position if the client prefers JSON patches", async () => {
  const cluster = await aPatchingCluster();
  await cluster.create({});
  await cluster.end("Succeeded");
  expect(cluster.types).toEqual(["json"]);
  expect((await cluster.list())[0]?.metadata).not.toHaveProperty("finalizers");
});

test("a finalizer whose position has changed is still removed", async () => {
  const types: PatchRequest["type"][] = [];
  const moved = ["example.com/other", "batch.kubernetes.io/job-tracking"];
  const cluster = await aJobCluster({}, (client) => ({
    prefersJsonPatches: true,
    patch: async (type, name, request) => {
      if (type.resource !== "pods") return client.patch(type, name, request);
      types.push(request.type);
      // Somebody else changes the finalizers first, which the cache does not show yet.
      const body = { metadata: { finalizers: moved } };
      if (types.length === 1) await client.patch(pods, name, { type: "merge", body });
      return client.patch(type, name, request);
    },
  }));
  await cluster.create({});
  await cluster.end("Succeeded");
  expect(types).toEqual(["json", "strategic"]);
  const [pod] = await cluster.list();
  expect(pod?.metadata.finalizers).toEqual(["example.com/other"]);
});
