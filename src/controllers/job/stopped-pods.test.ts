/** Pods that a Job has to stop, with the annotation that counts each pod by how it ends. */
import { expect, test } from "vitest";
import { INDEXED, POD_SPEC } from "../../../test/builders/job.ts";
import { aJobCluster, indexOf, JOB, type JobCluster } from "../../../test/builders/job-cluster.ts";
import { EXACT_TIMES } from "../../api/exact-times.ts";
import type { Pod } from "../../api/generated/core.ts";
import { STOPPED, STOPPING } from "../../api/pod-end.ts";
import { pods } from "../../api/resources.ts";

const SURPLUS = "tallyjob.io/surplus-pods";

/** A Job as `tally run` creates it. Its pods have a node, which the test simulates. */
async function aRun(spec: { readonly [field: string]: unknown } = {}): Promise<JobCluster> {
  const cluster = await aJobCluster();
  await cluster.create(
    {
      ...INDEXED,
      completions: 3,
      backoffLimitPerIndex: 1,
      podReplacementPolicy: "Failed",
      template: { spec: { ...POD_SPEC, nodeName: "n" } },
      ...spec,
    },
    { [SURPLUS]: "finish", "tallyjob.io/backoff-base": "10ms" },
  );
  return cluster;
}

async function stopping(cluster: JobCluster, index: number): Promise<Pod | undefined> {
  return (await cluster.list()).find(
    ({ metadata, ...pod }) =>
      indexOf({ ...pod, metadata }) === index && metadata.annotations?.[STOPPING] === "true",
  );
}

/** What the node writes about a pod that has ended. */
async function note(cluster: JobCluster, index: number, more: object = {}): Promise<void> {
  const pod = await stopping(cluster, index);
  const annotations = { [EXACT_TIMES]: "1-2", ...more };
  const name = { ...JOB, name: pod?.metadata.name ?? "" };
  await cluster.client.patch(pods, name, { type: "merge", body: { metadata: { annotations } } });
}

const WAS_STOPPED = { [STOPPED]: "true" };

test("suspending a Job counts pods that succeed, but not pods that were stopped", async () => {
  const cluster = await aRun();
  await cluster.edit({ suspend: true });
  await cluster.end("Succeeded", 0);
  await note(cluster, 1, WAS_STOPPED);
  await cluster.end("Failed", 1);
  await note(cluster, 2);
  await cluster.end("Failed", 2);
  const { status } = await cluster.job();
  expect(status).toMatchObject({ completedIndexes: "0", failedIndexes: "", succeeded: 1 });
  expect(status.failed ?? 0).toBe(0);
  await cluster.edit({ suspend: false });
  expect(await cluster.running()).toEqual([1, 2]);
  const failures = (await cluster.list())
    .filter(({ status: { phase } }) => phase === "Pending")
    .map(({ metadata }) => metadata.annotations?.["batch.kubernetes.io/job-index-failure-count"]);
  expect(failures.sort()).toEqual(["0", "1"]);
});

test("stopping a pod keeps the earlier failures of its index", async () => {
  const cluster = await aRun();
  await cluster.end("Failed", 1);
  await cluster.edit({ suspend: true });
  await note(cluster, 1, WAS_STOPPED);
  await cluster.end("Failed", 1);
  await cluster.edit({ suspend: false });
  await cluster.end("Failed", 1);
  expect((await cluster.job()).status.failedIndexes).toBe("1");
});

test("a Job with too many failed indexes counts stopped pods that succeed", async () => {
  const cluster = await aRun({ backoffLimitPerIndex: 0, maxFailedIndexes: 0 });
  await cluster.end("Failed", 1);
  expect(await cluster.conditions()).toEqual(["FailureTarget/MaxFailedIndexesExceeded"]);
  await cluster.end("Succeeded", 0);
  expect(await cluster.conditions()).not.toContain("Failed/MaxFailedIndexesExceeded");
  await cluster.end("Failed", 2);
  expect(await cluster.conditions()).toContain("Failed/MaxFailedIndexesExceeded");
  const { completedIndexes, failedIndexes, failed } = (await cluster.job()).status;
  expect({ completedIndexes, failedIndexes, failed }).toEqual({
    ...{ completedIndexes: "0", failedIndexes: "1", failed: 2 },
  });
});

test("a pod without a node is released at once", async () => {
  const cluster = await aRun({ template: { spec: POD_SPEC } });
  await cluster.edit({ suspend: true });
  expect(await cluster.list()).toEqual([]);
});

test("indexes that failed before the Job started do not count against its limit", async () => {
  const cluster = await aJobCluster();
  await cluster.create(
    { ...INDEXED, completions: 3, backoffLimitPerIndex: 0, maxFailedIndexes: 0 },
    { "tallyjob.io/failed-indexes": "1", "tallyjob.io/failed-before": "1" },
  );
  expect(await cluster.running()).toEqual([0, 2]);
  await cluster.end("Failed", 0);
  expect(await cluster.conditions()).toContain("Failed/MaxFailedIndexesExceeded");
});
