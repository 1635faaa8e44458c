import { expect, test } from "vitest";
import { type AtWork, startController } from "../../test/builders/controller.ts";
import type { Client } from "../api/client.ts";
import type { Job } from "../api/generated/batch.ts";
import type { ConfigMap, Pod } from "../api/generated/core.ts";
import { configMaps, jobs, pods } from "../api/resources.ts";
import { silentLog } from "../base/log.ts";
import { Metrics } from "../base/metrics.ts";
import { findObject } from "../client/find.ts";
import { parseLedger } from "../ledger/job-ledger.ts";
import { ledgerController } from "./ledger-controller.ts";

const MANAGER = "tallyjob.io/job-controller";
const LEDGER = { namespace: "default", name: "work-ledger" };

function aJob(client: Client, more: object = {}, annotations: object = {}): Promise<Job> {
  const container = { name: "main", image: "i" };
  return client.create(jobs, {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: "work",
      namespace: "default",
      annotations: { "tallyjob.io/work-list": "list", ...annotations },
    },
    spec: {
      managedBy: MANAGER,
      completionMode: "Indexed",
      completions: 3,
      parallelism: 3,
      template: { metadata: {}, spec: { restartPolicy: "Never", containers: [container] } },
      ...more,
    },
    status: {},
  } as unknown as Job);
}

/** A pod of the Job that has ended. */
async function aPod(client: Client, job: Job, index: number, exitCode: number): Promise<Pod> {
  const { uid = "", name = "" } = job.metadata;
  const owner = { apiVersion: "batch/v1", kind: "Job", name, uid, controller: true };
  const made = await client.create(pods, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: `${name}-${index}-`,
      namespace: "default",
      annotations: { "batch.kubernetes.io/job-completion-index": String(index) },
      ownerReferences: [owner],
    },
    spec: { restartPolicy: "Never", containers: [{ name: "main", image: "i" }] },
    status: {},
  } as unknown as Pod);
  const terminated = { exitCode, startedAt: TIME, finishedAt: TIME, reason: "Error" };
  const status = {
    phase: exitCode === 0 ? "Succeeded" : "Failed",
    containerStatuses: [{ name: "main", restartCount: 0, state: { terminated }, lastState: {} }],
  };
  return client.updateStatus(pods, { ...made, status } as unknown as Pod);
}

const TIME = "2026-01-01T00:00:00Z";

async function advance({ server, settle }: AtWork, seconds: number): Promise<void> {
  for (let at = 0; at < seconds; at++) {
    server.clock.advance(1_000);
    await settle();
  }
}

function noted(object: ConfigMap | undefined) {
  const attempts = parseLedger(object?.data, "work")?.attempts ?? [];
  return attempts.map(({ index, attempt }) => [index, attempt.outcome, attempt.exitCode]);
}

test("attempts are recorded together, in a ConfigMap owned by the Job", async () => {
  const work = await startController(ledgerController(MANAGER));
  const job = await aJob(work.client);
  await aPod(work.client, job, 0, 3);
  await work.settle();
  expect(await findObject(work.client, configMaps, LEDGER)).toBeUndefined();
  await aPod(work.client, job, 1, 0);
  await advance(work, 11);
  const ledger = await work.client.get(configMaps, LEDGER);
  expect(noted(ledger)).toEqual([
    [0, "Failed", 3],
    [1, "Succeeded", 0],
  ]);
  expect(ledger.metadata.ownerReferences).toMatchObject([{ uid: job.metadata.uid }]);
  work.stop();
});

test("earlier recorded attempts are kept, and nothing is written without changes", async () => {
  const work = await startController(ledgerController(MANAGER));
  const job = await aJob(work.client);
  const gone = await aPod(work.client, job, 0, 3);
  await advance(work, 11);
  work.stop();
  await work.client.delete(pods, { namespace: "default", name: gone.metadata.name ?? "" });
  const { clock, random } = work.server;
  const context = { client: work.client, clock, random, log: silentLog, metrics: new Metrics() };
  const next = await ledgerController(MANAGER).start(context);
  const before = await work.client.get(configMaps, LEDGER);
  await advance(work, 30);
  expect(await work.client.get(configMaps, LEDGER)).toEqual(before);
  await aPod(work.client, job, 0, 4);
  await advance(work, 11);
  expect(noted(await work.client.get(configMaps, LEDGER))).toEqual([
    [0, "Failed", 3],
    [0, "Failed", 4],
  ]);
  next.stop();
});

test("a Job of another manager, or without a list, has no ledger", async () => {
  const work = await startController(ledgerController(MANAGER));
  const job = await aJob(work.client, { managedBy: undefined });
  await aPod(work.client, job, 0, 3);
  await advance(work, 30);
  expect(await findObject(work.client, configMaps, LEDGER)).toBeUndefined();
  work.stop();
});

test("a ConfigMap of somebody else is not changed", async () => {
  const work = await startController(ledgerController(MANAGER));
  const metadata = { name: "work-ledger", namespace: "default" };
  const theirs = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { a: "b" } };
  await work.client.create(configMaps, theirs);
  const job = await aJob(work.client);
  await aPod(work.client, job, 0, 3);
  await advance(work, 30);
  expect((await work.client.get(configMaps, LEDGER)).data).toEqual({ a: "b" });
  work.stop();
});

test("the attempt of a deleted pod is recorded within a second", async () => {
  const work = await startController(ledgerController(MANAGER));
  const job = await aJob(work.client);
  const gone = await aPod(work.client, job, 0, 0);
  await advance(work, 1);
  expect(await findObject(work.client, configMaps, LEDGER)).toBeUndefined();
  await work.client.delete(pods, { namespace: "default", name: gone.metadata.name ?? "" });
  await work.settle();
  await advance(work, 1);
  expect(noted(await work.client.get(configMaps, LEDGER))).toEqual([[0, "Succeeded", 0]]);
  work.stop();
});

test("a ledger without an owner is taken over by the Job that continues it", async () => {
  const work = await startController(ledgerController(MANAGER));
  const former = await aJob(work.client);
  await aPod(work.client, former, 0, 3);
  await advance(work, 11);
  const body = { metadata: { ownerReferences: null } };
  await work.client.patch(configMaps, LEDGER, { type: "merge", body });
  const place = { namespace: "default", name: "work" };
  await work.client.delete(jobs, place, { propagationPolicy: "Background" });
  const next = await aJob(work.client, {}, { "tallyjob.io/completed-indexes": "1" });
  await aPod(work.client, next, 0, 0);
  await advance(work, 11);
  const ledger = await work.client.get(configMaps, LEDGER);
  expect(noted(ledger)).toEqual([
    [0, "Failed", 3],
    [0, "Succeeded", 0],
  ]);
  expect(ledger.metadata.ownerReferences).toMatchObject([{ uid: next.metadata.uid }]);
  work.stop();
});
