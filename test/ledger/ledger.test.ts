/**
 * What the ledger shows of a Job from start to end, on a real disk and with running controllers.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Client } from "../../src/api/client.ts";
import { jobs, namespaces, pods } from "../../src/api/resources.ts";
import { formatTime } from "../../src/api/time.ts";
import { silentLog } from "../../src/base/log.ts";
import { ManualClock } from "../../src/base/manual-clock.ts";
import { Metrics } from "../../src/base/metrics.ts";
import { localClient } from "../../src/client/local.ts";
import { garbageCollector } from "../../src/controllers/garbage/garbage-collector.ts";
import { jobController } from "../../src/controllers/job/job-controller.ts";
import { namespaceController } from "../../src/controllers/namespace/namespace-controller.ts";
import { podCollector } from "../../src/controllers/podgc/pod-collector.ts";
import { registry } from "../../src/kinds/registry.ts";
import { ledgerNotes } from "../../src/ledger/ledger-notes.ts";
import { INDEXES } from "../../src/server/indexes.ts";
import type { JobIndex } from "../../src/server/ledger/job-index.ts";
import { sweep } from "../../src/server/ledger/sweep.ts";
import { openStore } from "../../src/store/open.ts";
import { jobBody } from "../builders/resources.ts";
import { serverOn, type TestServer } from "../builders/server.ts";
import { ask } from "../support/ask.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const CLEANED = registry.kinds.filter(({ resource }) => ["jobs", "pods"].includes(resource));
const clock = new ManualClock();

let dataDir: string;
let engine: Engine;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "tally-ledger-"));
  engine = await start();
});

afterEach(async () => {
  await engine.stop();
  await rm(dataDir, { recursive: true, force: true });
});

test("attempts outlive pods, restarts and the Job, and continue under its name", async () => {
  await createJob();
  await endPod(0, "Succeeded", 0);
  await endPod(1, "Failed", 3);
  expect(told()).toEqual([
    "0 Succeeded: Succeeded 0",
    "1 BackingOff: Failed 3",
    "2 Pending: Pending",
  ]);
  await engine.settle(10_000);
  await endPod(1, "Succeeded", 0);
  const afterRetry = [
    "0 Succeeded: Succeeded 0",
    "1 Succeeded: Failed 3, Succeeded 0",
    "2 Pending: Pending",
  ];
  expect(told()).toEqual(afterRetry);

  await deleteFinishedPods();
  expect(told()).toEqual(afterRetry);
  await engine.stop();
  engine = await start();
  expect(told()).toEqual(afterRetry);

  await deleteJob();
  expect(await engine.pods()).toEqual([]);
  // The pod of index 2 was deleted before it started.
  const afterJob = ["0 Succeeded: Succeeded 0", "1 Succeeded: Failed 3, Succeeded 0"];
  expect(told()).toEqual(afterJob);

  await createJob({ "tallyjob.io/completed-indexes": "0,1" });
  expect(told()).toEqual([...afterJob, "2 Pending: Pending"]);
  await endPod(2, "Succeeded", 0);
  await deleteJob();
  expect(told()).toEqual([...afterJob, "2 Succeeded: Succeeded 0"]);

  await createJob();
  expect(told()).toEqual(["0 Pending: Pending", "1 Pending: Pending", "2 Pending: Pending"]);
});

test("a permanently failed index is distinguished from one that will be retried", async () => {
  await createJob({}, { backoffLimitPerIndex: 1 });
  await endPod(1, "Failed", 3);
  await engine.settle(10_000);
  await endPod(1, "Failed", 4);
  await endPod(2, "Failed", 5);
  expect(told()).toEqual([
    "0 Pending: Pending",
    "1 Failed: Failed 3, Failed 4",
    "2 BackingOff: Failed 5",
  ]);
});

test("a failed Job leaves its failures, and the indexes it stopped", async () => {
  await createJob({}, { backoffLimit: 0 });
  await endPod(1, "Failed", 9);
  expect(told()).toEqual(["0 NotRun: ", "1 Failed: Failed 9", "2 NotRun: "]);
});

test("surplus finished pods are garbage-collected, and their attempts stay", async () => {
  const { client, server } = engine;
  const { random } = server;
  const own = { log: silentLog, metrics: new Metrics() };
  const collector = await podCollector(1).start({ client, clock, random, ...own });
  await createJob();
  for (const index of [0, 1, 2]) await endPod(index, "Succeeded", index);
  await engine.settle(21_000);
  collector.stop();
  expect(await engine.pods()).toHaveLength(1);
  expect(told()).toEqual([
    "0 Succeeded: Succeeded 0",
    "1 Succeeded: Succeeded 1",
    "2 Succeeded: Succeeded 2",
  ]);
});

test("notes are kept for their retention period, and then removed", async () => {
  await createJob();
  await endPod(0, "Succeeded", 0);
  await deleteJob();
  await createJob();
  await endPod(1, "Failed", 1);
  const { store } = engine.server;
  const noted = () => store.listNotes({ prefix: "default\0", limit: 1000 }).length;
  const before = noted();
  // The first Job left three notes: its creation, its deletion and the end of its pod.
  expect(await sweep(store, clock.nowMs())).toBe(3);
  expect(noted()).toBe(before - 3);
  expect(told()).toEqual(["0 Pending: Pending", "1 BackingOff: Failed 1", "2 Pending: Pending"]);
  expect(await sweep(store, clock.nowMs() + 8 * DAY_MS)).toBe(0);
  await deleteJob();
  expect(await sweep(store, clock.nowMs() + 6 * DAY_MS)).toBe(0);
  expect(told()).toHaveLength(1);
  expect(await sweep(store, clock.nowMs() + 8 * DAY_MS)).toBe(3);
  expect(noted()).toBe(0);
  expect(ask(engine.server, "GET", pathOf("default"))).toMatchObject({ status: 404 });
});

test("deleting a namespace deletes its ledger", async () => {
  const { client } = engine;
  const createNamespace = () =>
    client.create(namespaces, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "own" },
      spec: {},
      status: {},
    });
  await createNamespace();
  await createJob({}, {}, "own");
  await endPod(0, "Succeeded", 0, "own");
  await client.delete(namespaces, { name: "own" }, {});
  await engine.settle(1000);
  for (const pod of await engine.pods("own")) await remove(pod.metadata.name ?? "", "own");
  await engine.settle(60_000);
  expect(ask(engine.server, "GET", "/api/v1/namespaces/own")).toMatchObject({ status: 404 });
  expect(ask(engine.server, "GET", pathOf("own"))).toMatchObject({ status: 404 });
  await createNamespace();
  await createJob({ "tallyjob.io/completed-indexes": "0" }, {}, "own");
  expect(told("own")).toEqual(["0 Succeeded: ", "1 Pending: Pending", "2 Pending: Pending"]);
  const { store } = engine.server;
  const noted = store.listNotes({ prefix: "own\0", limit: 100 }).length;
  const removed = await sweep(store, clock.nowMs());
  expect(store.listNotes({ prefix: "own\0", limit: 100 })).toHaveLength(noted - removed);
  expect(noted - removed).toBe(1);
});

type Engine = Awaited<ReturnType<typeof start>>;

async function start() {
  const notesOf = (change: Parameters<typeof ledgerNotes>[0]) => ledgerNotes(change, clock.nowMs());
  const store = await openStore({ dataDir, indexes: INDEXES, notesOf, freeze: true });
  const server: TestServer = serverOn(store, clock);
  const client: Client = localClient(server);
  const { random } = server;
  const context = { client, clock, random, log: silentLog, metrics: new Metrics() };
  const controllers = [jobController(), garbageCollector(CLEANED), namespaceController(CLEANED)];
  const running = await Promise.all(controllers.map((controller) => controller.start(context)));
  const settle = async (ms = 600) => {
    for (let passed = 0; passed < ms; passed += 50) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(50);
    }
    await new Promise((resolve) => setImmediate(resolve));
  };
  await settle();
  return {
    server,
    client,
    settle,
    pods: async (namespace = "default") => (await client.list(pods, { namespace })).items,
    stop: async () => {
      for (const controller of running) controller.stop();
      await store.close();
    },
  };
}

async function createJob(annotations = {}, spec = {}, namespace = "default"): Promise<void> {
  const indexed = { completionMode: "Indexed", completions: 3, parallelism: 3, ...spec };
  await engine.client.create(jobs, jobBody({ name: "work", namespace, annotations }, indexed));
  await engine.settle();
}

async function deleteJob(): Promise<void> {
  const name = { namespace: "default", name: "work" };
  await engine.client.delete(jobs, name, { propagationPolicy: "Background" });
  await engine.settle(1000);
  // There is no node that would end the running pods.
  for (const { metadata } of await engine.pods()) await remove(metadata.name ?? "", "default");
  await engine.settle(1000);
}

async function remove(name: string, namespace: string): Promise<void> {
  await engine.client.delete(pods, { namespace, name }, { gracePeriodSeconds: 0 });
}

async function deleteFinishedPods(): Promise<void> {
  for (const { metadata, status } of await engine.pods()) {
    if (status.phase === "Succeeded" || status.phase === "Failed") {
      await remove(metadata.name ?? "", "default");
    }
  }
  await engine.settle();
}

async function endPod(
  index: number,
  phase: "Succeeded" | "Failed",
  exitCode: number,
  namespace = "default",
): Promise<void> {
  const found = (await engine.pods(namespace)).find(
    ({ metadata, status }) =>
      metadata.annotations?.["batch.kubernetes.io/job-completion-index"] === String(index) &&
      status.phase === "Pending",
  );
  const terminated = { exitCode, finishedAt: formatTime(clock.nowMs()) };
  const container = { name: "c", image: "", imageID: "", ready: false, restartCount: 0 };
  const body = { status: { phase, containerStatuses: [{ ...container, state: { terminated } }] } };
  const name = { namespace, name: found?.metadata.name ?? "" };
  await engine.client.patch(pods, name, { type: "merge", body, subresource: "status" });
  await engine.settle();
}

function pathOf(namespace: string): string {
  return `/apis/tallyjob.io/v1alpha1/namespaces/${namespace}/jobs/work/indexes`;
}

/** Each index as "INDEX STATE: ATTEMPTS". */
function told(namespace = "default"): string[] {
  const list = ask(engine.server, "GET", pathOf(namespace)).object as unknown as {
    items?: JobIndex[];
  };
  return (list.items ?? []).map(({ spec, status }) => {
    const attempts = status.attempts.map(({ outcome, exitCode }) =>
      exitCode === undefined ? outcome : `${outcome} ${exitCode}`,
    );
    return `${spec.index} ${status.state}: ${attempts.join(", ")}`;
  });
}
