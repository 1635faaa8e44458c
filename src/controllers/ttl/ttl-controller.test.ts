import { expect, test } from "vitest";
import { type AtWork, startController } from "../../../test/builders/controller.ts";
import { jobBody } from "../../../test/builders/resources.ts";
import type { Client } from "../../api/client.ts";
import type { Job } from "../../api/generated/batch.ts";
import { jobs } from "../../api/resources.ts";
import { formatTime } from "../../api/time.ts";
import type { Metrics } from "../../base/metrics.ts";
import { findObject } from "../../client/find.ts";
import type { Controller } from "../runtime/controller.ts";
import { ttlController } from "./ttl-controller.ts";

const PLACE = { namespace: "default", name: "j" };

async function createJob(client: Client, ttlSecondsAfterFinished?: number): Promise<Job> {
  const spec = ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished };
  return client.create(jobs, jobBody({ name: "j" }, spec));
}

/** Sets the status that the Job controller writes for a failed Job. */
async function fail(client: Client, time: string): Promise<void> {
  const job = await client.get(jobs, PLACE);
  const failed = { status: "True", lastTransitionTime: time, lastProbeTime: time };
  const started = await client.updateStatus(jobs, {
    ...job,
    status: { startTime: time, conditions: [{ type: "FailureTarget", ...failed }] },
  });
  const conditions = [...(started.status.conditions ?? []), { type: "Failed", ...failed }];
  await client.updateStatus(jobs, { ...started, status: { ...started.status, conditions } });
}

async function finish({ client, server, settle }: AtWork): Promise<void> {
  await fail(client, formatTime(server.clock.nowMs()));
  await settle();
}

async function pass({ server, settle }: AtWork, seconds: number): Promise<void> {
  server.clock.advance(seconds * 1000);
  await settle();
}

async function isThere(client: Client): Promise<boolean> {
  const job = await findObject(client, jobs, PLACE);
  return job !== undefined && job.metadata.deletionTimestamp === undefined;
}

test("a finished Job is deleted in the foreground when its TTL expires", async () => {
  const atWork = await startController(ttlController);
  const { client } = atWork;
  await createJob(client, 100);
  await finish(atWork);
  await pass(atWork, 99);
  expect(await isThere(client)).toBe(true);
  await pass(atWork, 1);
  const { metadata } = await client.get(jobs, PLACE);
  expect(metadata).toMatchObject({
    deletionTimestamp: "2026-01-01T00:01:40Z",
    finalizers: ["foregroundDeletion"],
  });
});

test("a Job with TTL 0 is deleted at once", async () => {
  const atWork = await startController(ttlController);
  await createJob(atWork.client, 0);
  expect(await isThere(atWork.client)).toBe(true);
  await finish(atWork);
  expect(await isThere(atWork.client)).toBe(false);
});

test("a Job whose TTL expired before the start is deleted at the start", async () => {
  const { client } = await startController(ttlController, async (early) => {
    await createJob(early, 5);
    await fail(early, "2025-12-31T23:59:00Z");
  });
  expect(await isThere(client)).toBe(false);
});

test.each([
  ["longer", 100, [10, 89], 1],
  ["shorter", 5, [4], 1],
])("a TTL made %s later still counts from the finish time", async (_, ttl, waits, last) => {
  const atWork = await startController(ttlController);
  const { client } = atWork;
  await createJob(client, 10);
  await finish(atWork);
  const body = { spec: { ttlSecondsAfterFinished: ttl } };
  await client.patch(jobs, PLACE, { type: "merge", body });
  for (const seconds of waits) await pass(atWork, seconds);
  expect(await isThere(client)).toBe(true);
  await pass(atWork, last);
  expect(await isThere(client)).toBe(false);
});

test("a Job without a TTL is kept until it gets one", async () => {
  const atWork = await startController(ttlController);
  const { client, server, settle } = atWork;
  await createJob(client);
  await finish(atWork);
  expect(server.clock.untilNextMs()).toBeUndefined();
  await pass(atWork, 1000);
  await client.patch(jobs, PLACE, {
    type: "merge",
    body: { spec: { ttlSecondsAfterFinished: 5 } },
  });
  await settle();
  expect(await isThere(client)).toBe(false);
});

test("a new Job with the same name has its own TTL", async () => {
  const atWork = await startController(ttlController);
  const { client, server } = atWork;
  await createJob(client, 10);
  await finish(atWork);
  await client.delete(jobs, PLACE, { propagationPolicy: "Background" });
  expect(server.clock.untilNextMs()).toBeUndefined();
  await createJob(client, 10);
  await pass(atWork, 60);
  expect(await isThere(client)).toBe(true);
});

/** The controller with its own client and metrics. */
function controllerWith(
  change: (client: Client) => Partial<Client>,
  take: (metrics: Metrics) => void = () => {},
): Controller {
  return {
    ...ttlController,
    start: (context) => {
      take(context.metrics);
      const { client } = context;
      return ttlController.start({ ...context, client: { ...client, ...change(client) } });
    },
  };
}

test("the Job is read from the server again before it is deleted", async () => {
  let relent: ((client: Client) => Promise<unknown>) | undefined;
  const hesitant = controllerWith((client) => ({
    get: async (...request) => {
      await relent?.(client);
      return client.get(...request);
    },
  }));
  const atWork = await startController(hesitant);
  const { client } = atWork;
  await createJob(client, 10);
  await finish(atWork);
  relent = (own) => {
    relent = undefined;
    const body = { spec: { ttlSecondsAfterFinished: 20 } };
    return own.patch(jobs, PLACE, { type: "merge", body });
  };
  await pass(atWork, 10);
  expect(await isThere(client)).toBe(true);
  await pass(atWork, 10);
  expect(await isThere(client)).toBe(false);
});

test("a metric measures how late a Job is deleted", async () => {
  let metrics: Metrics | undefined;
  let refusals = 1;
  const refused = controllerWith(
    (client) => ({
      delete: async (...request) => {
        if (refusals-- > 0) throw new Error("not now");
        return client.delete(...request);
      },
    }),
    (given) => {
      metrics = given;
    },
  );
  const atWork = await startController(refused);
  await createJob(atWork.client, 10);
  await finish(atWork);
  await pass(atWork, 10);
  const name = "ttl_after_finished_controller_job_deletion_duration_seconds";
  expect(metrics?.text()).not.toContain(`${name}_count 1`);
  await pass(atWork, 3);
  const text = metrics?.text() ?? "";
  expect(text).toContain(`${name}_count 1`);
  expect(text).toContain(`${name}_bucket{le="0.1"} 0`);
  expect(text).toContain(`${name}_bucket{le="3.2"} 1`);
});

test("after a stop nothing is deleted", async () => {
  const atWork = await startController(ttlController);
  await createJob(atWork.client, 10);
  await finish(atWork);
  atWork.stop();
  await pass(atWork, 60);
  expect(await isThere(atWork.client)).toBe(true);
});
