import { expect, test } from "vitest";
import { INDEXED } from "../../../test/builders/job.ts";
import { aJobCluster, JOB } from "../../../test/builders/job-cluster.ts";
import { jobBody, podBody } from "../../../test/builders/resources.ts";
import { forbidden } from "../../api/errors.ts";
import { events, jobs, pods } from "../../api/resources.ts";

test("an Indexed Job runs every index once and is complete", async () => {
  const cluster = await aJobCluster();
  await cluster.create({ ...INDEXED, completions: 3, parallelism: 2 });
  expect(await cluster.running()).toEqual([0, 1]);
  expect((await cluster.job()).status).toMatchObject({ active: 2, ready: 0, terminating: 0 });
  await cluster.end("Succeeded", 1);
  expect(await cluster.running()).toEqual([0, 2]);
  expect((await cluster.job()).status).toMatchObject({ completedIndexes: "1", succeeded: 1 });
  await cluster.end("Succeeded", 0);
  await cluster.end("Succeeded", 2);
  const { status } = await cluster.job();
  expect(status).toMatchObject({ completedIndexes: "0-2", succeeded: 3, ready: 0 });
  expect(status.completionTime).toBeDefined();
  expect(await cluster.conditions()).toEqual([
    "SuccessCriteriaMet/CompletionsReached",
    "Complete/CompletionsReached",
  ]);
  expect((await cluster.list()).flatMap(({ metadata }) => metadata.finalizers ?? [])).toEqual([]);
  expect(await cluster.reasons()).toContain("Completed");
});

test("a restarted controller continues where the previous one stopped", async () => {
  const cluster = await aJobCluster();
  await cluster.create({ ...INDEXED, completions: 4, parallelism: 2 });
  await cluster.end("Succeeded", 0);
  await cluster.restart();
  expect(await cluster.running()).toEqual([1, 2]);
  await cluster.end("Succeeded", 2);
  await cluster.restart();
  await cluster.end("Succeeded", 1);
  await cluster.end("Succeeded", 3);
  expect((await cluster.job()).status).toMatchObject({ completedIndexes: "0-3", succeeded: 4 });
  expect(await cluster.list()).toHaveLength(4);
});

test("more pods than one sync creates are created by following syncs", async () => {
  const cluster = await aJobCluster();
  await cluster.create({ ...INDEXED, completions: 1200, parallelism: 1200 });
  expect(await cluster.running()).toHaveLength(1200);
  expect((await cluster.job()).status.active).toBe(1200);
});

test("small Jobs are served between the batches of a large Job", async () => {
  const order: string[] = [];
  const cluster = await aJobCluster({ workers: 1, podsPerSync: 50 }, (client) => ({
    create: async (type, object) => {
      if (type.resource === "pods") order.push(object.metadata.ownerReferences?.[0]?.name ?? "");
      return client.create(type, object);
    },
  }));
  const large = { ...INDEXED, completions: 10_000, parallelism: 1000 };
  await cluster.client.create(jobs, jobBody({ name: "large" }, large));
  const small = ["a", "b", "c"];
  for (const name of small) await cluster.client.create(jobs, jobBody({ name }));
  await cluster.settle();
  expect(order).toHaveLength(1003);
  expect(order.filter((name) => name !== "large").sort()).toEqual(small);
  expect(order.findLastIndex((name) => name !== "large")).toBeLessThan(103);
});

test("a Job that waits after failures records one event per wait", async () => {
  const cluster = await aJobCluster();
  await cluster.create({});
  await cluster.end("Failed");
  await cluster.settle(5000);
  expect(await cluster.waits()).toEqual([
    "Waiting 10s before creating pods: 1 pod failed since the last success",
  ]);
  await cluster.settle(6000);
  await cluster.end("Failed");
  await cluster.settle(5000);
  expect((await cluster.waits()).slice(1)).toEqual([
    "Waiting 20s before creating pods: 2 pods failed since the last success",
  ]);
});

test("a Job whose failed indexes wait records an event", async () => {
  const cluster = await aJobCluster();
  const spec = { ...INDEXED, completions: 2, parallelism: 2, backoffLimitPerIndex: 3 };
  await cluster.create(spec);
  await cluster.end("Failed", 0);
  await cluster.end("Failed", 1);
  expect((await cluster.waits())[0]).toBe(
    "Waiting 10s before creating pods: 1 failed index to be retried",
  );
});

test("no event is recorded for a wait below a second", async () => {
  const cluster = await aJobCluster({ backoff: { firstMs: 500, maxMs: 900 } });
  await cluster.create({});
  await cluster.end("Failed");
  expect(await cluster.waits()).toEqual([]);
});

test.each([
  ["", {}, {}],
  [" of a Job that keeps no pods", {}, { "tallyjob.io/keep-pods": "none" }],
  [" of an index", { ...INDEXED, completions: 1, backoffLimitPerIndex: 9 }, {}],
])("a pod ended by its node delays its replacement until a restart%s", async (...given) => {
  const [, spec, annotations] = given;
  const cluster = await aJobCluster();
  await cluster.create(spec, annotations);
  await cluster.shutDown();
  expect(await cluster.running()).toHaveLength(0);
  await cluster.restart();
  expect(await cluster.running()).toHaveLength(1);
  await cluster.end("Failed");
  await cluster.restart();
  expect(await cluster.running()).toHaveLength(0);
});

test("the delay before a replacement doubles with each failure", async () => {
  const cluster = await aJobCluster();
  await cluster.create({});
  for (const waitMs of [10_000, 20_000, 40_000]) {
    await cluster.end("Failed");
    await cluster.settle(waitMs - 2500);
    expect(await cluster.running()).toHaveLength(0);
    await cluster.settle(3000);
    expect(await cluster.running()).toHaveLength(1);
  }
  expect((await cluster.job()).status.failed).toBe(3);
});

test("a Job over its backoffLimit deletes its running pods, counts them and fails", async () => {
  const cluster = await aJobCluster();
  await cluster.create({ ...INDEXED, backoffLimit: 0 });
  await cluster.end("Failed", 1);
  expect((await cluster.job()).status).toMatchObject({ failed: 3 });
  expect(await cluster.conditions()).toEqual([
    "FailureTarget/BackoffLimitExceeded",
    "Failed/BackoffLimitExceeded",
  ]);
  expect(await cluster.reasons()).toContain("BackoffLimitExceeded");
});

test("a Job past its deadline fails without any other event", async () => {
  const cluster = await aJobCluster();
  await cluster.create({ activeDeadlineSeconds: 5 });
  await cluster.settle(3500);
  expect(await cluster.conditions()).toEqual([]);
  await cluster.settle(1500);
  expect(await cluster.conditions()).toContain("Failed/DeadlineExceeded");
});

test("a suspended Job deletes its pods uncounted, and restarts when it is resumed", async () => {
  const cluster = await aJobCluster();
  await cluster.create({ ...INDEXED, activeDeadlineSeconds: 60 });
  await cluster.end("Succeeded", 0);
  await cluster.edit({ suspend: true });
  expect(await cluster.running()).toEqual([]);
  const { startTime, active, failed } = (await cluster.job()).status;
  expect({ startTime, active, failed }).toEqual({});
  expect(await cluster.conditions()).toEqual(["Suspended/JobSuspended"]);
  await cluster.edit({ suspend: false });
  expect(await cluster.running()).toEqual([1, 2, 3]);
  expect(await cluster.conditions()).toEqual(["Suspended/JobResumed"]);
  expect((await cluster.job()).status.startTime).toBeDefined();
});

test("reducing completions forgets indexes, and growing them runs these again", async () => {
  const cluster = await aJobCluster();
  await cluster.create({ ...INDEXED, completions: 3, parallelism: 3 });
  await cluster.end("Succeeded", 2);
  await cluster.edit({ completions: 2, parallelism: 2 });
  expect((await cluster.job()).status.succeeded).toBe(undefined);
  await cluster.edit({ completions: 4, parallelism: 4 });
  expect(await cluster.running()).toEqual([0, 1, 2, 3]);
});

test("a matching pod is adopted and tracked; one that stops matching is released", async () => {
  const cluster = await aJobCluster();
  const job = await cluster.create({ completions: 2, parallelism: 2 });
  const labels = job.spec.template.metadata.labels ?? {};
  await cluster.client.create(pods, podBody({ name: "found", labels }));
  await cluster.settle();
  const name = { namespace: "default", name: "found" };
  const adopted = await cluster.client.get(pods, name).catch(() => undefined);
  const others = (await cluster.list()).filter(({ metadata }) => metadata.name !== "found");
  expect((adopted ? [adopted] : []).length + others.length).toBe(2);
  for (const { metadata } of await cluster.list()) {
    expect(metadata.ownerReferences?.[0]?.uid).toBe(job.metadata.uid);
  }
  const [lost] = await cluster.list();
  const lostName = { namespace: "default", name: lost?.metadata.name ?? "" };
  const body = { metadata: { labels: { "batch.kubernetes.io/controller-uid": "x" } } };
  await cluster.client.patch(pods, lostName, { type: "merge", body });
  await cluster.settle();
  const { metadata } = await cluster.client.get(pods, lostName);
  expect({ owners: metadata.ownerReferences, finalizers: metadata.finalizers }).toEqual({});
  expect(await cluster.list()).toHaveLength(3);
});

test("the finalizer is removed from pods whose Job is gone", async () => {
  const cluster = await aJobCluster();
  await cluster.create(INDEXED);
  await cluster.client.delete(jobs, JOB, { propagationPolicy: "Background" });
  await cluster.settle();
  const left = await cluster.list();
  expect(left).toHaveLength(3);
  expect(left.flatMap(({ metadata }) => metadata.finalizers ?? [])).toEqual([]);
});

test("a Job managed by another controller is ignored", async () => {
  const cluster = await aJobCluster();
  await cluster.create({ managedBy: "example.com/other" });
  expect(await cluster.list()).toEqual([]);
  expect((await cluster.job()).status).toEqual({});
  const counted = 'jobs_by_external_controller_total{controller_name="example.com/other"} 1';
  expect(cluster.metrics.text()).toContain(counted);
});

test("a controller with another name manages only the Jobs that name it", async () => {
  const cluster = await aJobCluster({ managedBy: "example.com/own" });
  await cluster.create({ managedBy: "example.com/own" });
  expect(await cluster.running()).toHaveLength(1);
  await cluster.client.create(jobs, jobBody({ name: "k" }));
  await cluster.settle();
  expect(await cluster.list()).toHaveLength(1);
});

test("after a rejected pod the batch stops, and the creation is retried later", async () => {
  const refusals = [1, 2];
  let attempts = 0;
  const cluster = await aJobCluster({}, (client) => ({
    create: async (type, object) => {
      if (type.resource === "pods") {
        attempts++;
        if (refusals.pop()) throw forbidden({ group: "", resource: "pods" }, "", "no room");
      }
      return client.create(type, object);
    },
  }));
  await cluster.create({ ...INDEXED, completions: 3 });
  // The second attempt is triggered by the status that the first sync wrote.
  expect({ attempts, running: await cluster.running() }).toEqual({ attempts: 2, running: [] });
  await cluster.settle(2000);
  expect(await cluster.running()).toEqual([0, 1, 2]);
  expect(attempts).toBe(5);
  const list = await cluster.client.list(events, { namespace: "default" });
  const refused = list.items.find(({ reason }) => reason === "FailedCreate");
  expect(refused?.message).toBe("Error creating: pods is forbidden: no room");
});

test("a pod that could not be released is released later", async () => {
  let isDown = false;
  const cluster = await aJobCluster({}, (client) => ({
    patch: async (type, name, request) => {
      if (isDown) throw new Error("down");
      return client.patch(type, name, request);
    },
  }));
  await cluster.create({});
  const [pod] = await cluster.list();
  const name = { namespace: "default", name: pod?.metadata.name ?? "" };
  isDown = true;
  const body = { metadata: { labels: { "batch.kubernetes.io/controller-uid": "x" } } };
  await cluster.client.patch(pods, name, { type: "merge", body });
  await cluster.settle();
  expect((await cluster.client.get(pods, name)).metadata.ownerReferences).toHaveLength(1);
  isDown = false;
  await cluster.settle(5000);
  expect((await cluster.client.get(pods, name)).metadata.ownerReferences).toBe(undefined);
});

test("the metrics count syncs, pods and finished Jobs", async () => {
  const cluster = await aJobCluster();
  await cluster.create({ ...INDEXED, completions: 2, parallelism: 2 });
  await cluster.end("Succeeded", 0);
  await cluster.end("Succeeded", 1);
  const text = cluster.metrics.text();
  for (const line of [
    'job_controller_jobs_finished_total{completion_mode="Indexed",result="succeeded",reason="CompletionsReached"} 1',
    'job_finished_total{completion_mode="Indexed",result="succeeded"} 1',
    'job_controller_job_pods_finished_total{completion_mode="Indexed",result="succeeded"} 2',
    'job_controller_job_finished_indexes_total{status="succeeded",backoffLimit="global"} 2',
    'job_controller_job_pods_creation_total{reason="new",status="succeeded"} 2',
    'job_controller_terminated_pods_tracking_finalizer_total{event="add"} 2',
    'job_controller_terminated_pods_tracking_finalizer_total{event="delete"} 2',
    'job_sync_duration_seconds_bucket{completion_mode="Indexed",result="success",action="pods_created",le="0.004"}',
  ]) {
    expect(text).toContain(line);
  }
});

test("while the server is down, failed syncs are retried after 1 s to 60 s", async () => {
  const attempts: number[] = [];
  const down = new Error("down");
  const cluster = await aJobCluster({}, () => ({
    create: async (type) => {
      if (type.resource === "pods") attempts.push(cluster.clock.monotonicMs());
      throw down;
    },
    updateStatus: async () => {
      throw down;
    },
  }));
  await cluster.create({});
  await cluster.settle(200_000);
  const waitsMs = attempts.slice(1).map((ms, at) => ms - (attempts[at] ?? 0));
  expect(waitsMs).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1000));
  const failed = 'completion_mode="NonIndexed",result="error",action="pods_created"';
  expect(cluster.metrics.text()).toContain(`\njob_sync_total{${failed}} ${attempts.length}\n`);
});

test("a stopped controller records no more events", async () => {
  let tries = 0;
  const cluster = await aJobCluster({}, (client) => ({
    create: async (type, object) => {
      if (type.resource !== "events") return client.create(type, object);
      tries++;
      throw new Error("down");
    },
  }));
  await cluster.create({});
  expect(tries).toBeGreaterThan(0);
  cluster.stop();
  const before = tries;
  await cluster.settle(5000);
  expect(tries).toBe(before);
});
