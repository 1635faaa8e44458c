import { expect, test } from "vitest";
import { INDEXED, POD_SPEC } from "../../../test/builders/job.ts";
import { exited } from "../../../test/builders/job-pods.ts";
import { aServer } from "../../../test/builders/server.ts";
import type { Client } from "../../api/client.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import { parseIndexes } from "../../api/index-set.ts";
import { configMaps, jobs, pods } from "../../api/resources.ts";
import { findObject } from "../../client/find.ts";
import { localClient } from "../../client/local.ts";
import type { LedgerHost } from "../submit/retry-run.ts";
import { openClusterLedger } from "./cluster-host.ts";
import { retryOnCluster } from "./retry-on-cluster.ts";

const NAME = { namespace: "default", name: "work" };
const LEDGER = { namespace: "default", name: "work-ledger" };
const STATUS = {
  startTime: "2026-01-01T00:00:00Z",
  completedIndexes: "0,2-4",
  failedIndexes: "1",
  conditions: [
    { type: "FailureTarget", status: "True" },
    { type: "Failed", status: "True" },
  ],
};

/** A finished run of `tally controller` without a ledger: the controller has not written it. */
async function aFinishedRun(client: Client): Promise<Job> {
  const annotations = { "tallyjob.io/work-list": "list" };
  const made = await client.create(jobs, {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { ...NAME, annotations },
    spec: {
      ...INDEXED,
      backoffLimitPerIndex: 1,
      managedBy: "tallyjob.io/job-controller",
      template: { spec: POD_SPEC },
    },
    status: {},
  } as unknown as Job);
  const job = await client.updateStatus(jobs, { ...made, status: STATUS });
  for (let index = 0; index < 5; index++) {
    if (index === 1) await addPod(client, job, index, 1);
    await addPod(client, job, index, index === 1 ? 1 : 0);
  }
  return job;
}

async function addPod(client: Client, job: Job, index: number, exitCode: number): Promise<void> {
  const { uid = "", name = "" } = job.metadata;
  const owner = { apiVersion: "batch/v1", kind: "Job", name, uid, controller: true };
  const made = await client.create(pods, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: `work-${index}-`,
      namespace: "default",
      labels: { "batch.kubernetes.io/controller-uid": uid },
      annotations: { "batch.kubernetes.io/job-completion-index": String(index) },
      ownerReferences: [owner],
    },
    spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
    status: {},
  } as unknown as Pod);
  const phase = exitCode === 0 ? "Succeeded" : "Failed";
  const containerStatuses = [exited("c", exitCode, "2026-01-01T00:00:00Z")];
  await client.updateStatus(pods, { ...made, status: { phase, containerStatuses } });
}

/** As the garbage collector does. */
async function removePodsOf(client: Client, job: Job): Promise<void> {
  const labelSelector = `batch.kubernetes.io/controller-uid=${job.metadata.uid}`;
  const { items } = await client.list(pods, { namespace: "default", labelSelector });
  for (const { metadata } of items) {
    await client.delete(pods, { namespace: "default", name: metadata.name ?? "" });
  }
}

async function attemptsOf(client: Client): Promise<readonly number[] | undefined> {
  if (!(await findObject(client, jobs, NAME))) return undefined;
  const ledger = openClusterLedger(client, "default", () => Number.MAX_SAFE_INTEGER);
  const { items } = await ledger.list({ namespace: "default", jobName: "work" });
  return items.map(({ attempts }) => attempts.length);
}

/**
 * A cluster: it has no commit of several objects, and removes the pods of a Job with the Job. Calls
 * `look` after each write.
 */
function aCluster(plain: Client, look: () => Promise<void> = async () => {}): LedgerHost {
  const then = async <T>(written: Promise<T>): Promise<T> => {
    const result = await written;
    await look();
    return result;
  };
  const { submitJob: _, ...others } = plain;
  const client: Client = {
    ...others,
    create: (...args) => then(plain.create(...args)),
    update: (...args) => then(plain.update(...args)),
    patch: (...args) => then(plain.patch(...args)),
    delete: async (type, name, request) => {
      const job = type.resource === "jobs" ? await plain.get(jobs, name) : undefined;
      await plain.delete(type, name, request);
      if (job) await removePodsOf(plain, job);
      await look();
    },
  };
  const ledger = openClusterLedger(plain, "default", () => Number.MAX_SAFE_INTEGER);
  return { client, ledger };
}

const PLAN = { wanted: parseIndexes("1", 5), failed: parseIndexes("1", 5) };
const ATTEMPTS = [1, 2, 1, 1, 1];

test("a retry keeps all attempts if nothing was noted before it", async () => {
  const client = localClient(aServer());
  const job = await aFinishedRun(client);
  expect(await findObject(client, configMaps, LEDGER)).toBeUndefined();
  const chain = { first: job, retries: [] };
  const { first } = await retryOnCluster(aCluster(client), chain, PLAN);
  expect(first.metadata.uid).not.toBe(job.metadata.uid);
  expect(await attemptsOf(client)).toEqual(ATTEMPTS);
  const { metadata } = await client.get(configMaps, LEDGER);
  expect(metadata.ownerReferences).toMatchObject([{ uid: first.metadata.uid }]);
});

test("a reader sees all attempts at every moment of a retry", async () => {
  const client = localClient(aServer());
  const job = await aFinishedRun(client);
  const seen: (readonly number[])[] = [];
  const cluster = aCluster(client, async () => {
    const attempts = await attemptsOf(client);
    // Between the two Jobs there is none.
    if (attempts) seen.push(attempts);
  });
  await retryOnCluster(cluster, { first: job, retries: [] }, PLAN);
  expect(seen.length).toBeGreaterThan(3);
  expect(seen).toEqual(seen.map(() => ATTEMPTS));
});

test("a retry tries again if the controller writes the ledger at the same time", async () => {
  const plain = localClient(aServer());
  const job = await aFinishedRun(plain);
  let isFirst = true;
  const client: Client = {
    ...plain,
    create: async (type, object) => {
      if (type.resource === "configmaps" && isFirst) {
        isFirst = false;
        await plain.create(type, object);
      }
      return plain.create(type, object);
    },
  };
  await retryOnCluster(aCluster(client), { first: job, retries: [] }, PLAN);
  expect(isFirst).toBe(false);
  expect(await attemptsOf(plain)).toEqual(ATTEMPTS);
});
