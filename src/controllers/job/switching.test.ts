import { expect, onTestFinished, test } from "vitest";
import { aJobCluster, indexOf, type JobCluster } from "../../../test/builders/job-cluster.ts";
import { podBody } from "../../../test/builders/resources.ts";
import { ask } from "../../../test/support/ask.ts";
import type { Feature } from "../../api/feature-gates.ts";
import type { Pod } from "../../api/generated/core.ts";
import { type Draft, draftOf, type KubeObject } from "../../api/object.ts";
import { jobs, pods } from "../../api/resources.ts";
import { referenceTo } from "./ownership.ts";

const INDEXED = { completionMode: "Indexed", completions: 4, parallelism: 2 };
const INDEX = "batch.kubernetes.io/job-completion-index";

async function aCluster(...off: readonly Feature[]): Promise<JobCluster> {
  const cluster = await aJobCluster();
  onTestFinished(() => cluster.stop());
  await cluster.restart(...off);
  return cluster;
}

const tracked = (list: readonly Pod[]) =>
  list.filter(({ metadata }) => (metadata.finalizers ?? []).length > 0).length;

test("Indexed Jobs off: running pods continue untouched; on again: nothing is lost", async () => {
  const cluster = await aCluster();
  await cluster.create(INDEXED);
  const before = await cluster.job();

  await cluster.restart("IndexedJob");
  await cluster.end("Succeeded", 1);
  expect(await cluster.job()).toEqual(before);
  expect(await cluster.running()).toEqual([0]);
  expect(tracked(await cluster.list())).toBe(2);
  const disabled = "Skipped Indexed Job sync because feature is disabled.";
  expect(await cluster.warnings()).toEqual([`IndexedJobDisabled: ${disabled}`]);

  await cluster.restart();
  expect((await cluster.job()).status).toMatchObject({ completedIndexes: "1", succeeded: 1 });
  expect(await cluster.running()).toEqual([0, 2]);
  for (const index of [0, 2, 3]) await cluster.end("Succeeded", index);
  expect(await cluster.conditions()).toContain("Complete/CompletionsReached");
  expect(await cluster.list()).toHaveLength(4);
});

test("Indexed Jobs off: a new Job is NonIndexed and stays so later", async () => {
  const cluster = await aCluster("IndexedJob");
  const { spec } = await cluster.create(INDEXED);
  expect(spec).not.toHaveProperty("completionMode");
  expect(await cluster.running()).toEqual(Array(2).fill(Number.NaN));
  expect(await cluster.warnings()).toEqual([]);
  await cluster.restart();
  const name = { namespace: "default", name: "j" };
  await cluster.client.patch(jobs, name, { type: "merge", body: { spec: { parallelism: 3 } } });
  await cluster.settle();
  expect(await cluster.running()).toEqual(Array(3).fill(Number.NaN));
  expect((await cluster.job()).status.completedIndexes).toBe(undefined);
});

test("Indexed Jobs on again: pods without an index are removed and not counted", async () => {
  const cluster = await aCluster();
  const job = await cluster.create({ ...INDEXED, parallelism: 1 });
  await cluster.restart("IndexedJob");
  const { labels = {} } = job.spec.template.metadata;
  const owned = { ownerReferences: [referenceTo(job)], labels };
  const finalizers = ["batch.kubernetes.io/job-tracking"];
  for (const name of ["runs", "failed", "succeeded"]) {
    await cluster.client.create(pods, podBody({ name, ...owned, finalizers }));
  }
  for (const [name, phase] of Object.entries({ failed: "Failed", succeeded: "Succeeded" })) {
    const body = { status: { phase } };
    const change = { type: "merge", body, subresource: "status" } as const;
    await cluster.client.patch(pods, { namespace: "default", name }, change);
  }
  await cluster.restart();
  await cluster.settle(1000);
  expect(await cluster.running()).toEqual([0]);
  const { succeeded, failed, completedIndexes } = (await cluster.job()).status;
  expect({ succeeded, failed, completedIndexes }).toEqual({});
  expect(tracked(await cluster.list())).toBe(1);
});

test("the index label feature affects new pods only", async () => {
  const cluster = await aCluster();
  await cluster.create({ ...INDEXED, parallelism: 1 });
  const first = (await cluster.list())[0];
  await cluster.restart("PodIndexLabel");
  expect((await cluster.list())[0]).toEqual(first);
  await cluster.end("Succeeded", 0);
  await cluster.restart();
  await cluster.end("Succeeded", 1);
  const labels = (await cluster.list()).map((pod) => [
    indexOf(pod),
    pod.metadata.labels?.[INDEX] ?? null,
  ]);
  expect(labels.sort()).toEqual([
    [0, "0"],
    [1, null],
    [2, "2"],
  ]);
});

test("without JobBackoffLimitPerIndex failures count for the whole Job", async () => {
  const cluster = await aCluster();
  const limits = { backoffLimitPerIndex: 0, backoffLimit: 1 };
  await cluster.create({ ...INDEXED, ...limits, parallelism: 4 });
  await cluster.end("Failed", 0);
  expect((await cluster.job()).status).toMatchObject({ failedIndexes: "0", failed: 1 });
  await cluster.restart("JobBackoffLimitPerIndex");
  const { spec, status } = await cluster.job();
  expect(spec.backoffLimitPerIndex).toBe(0);
  expect(status.failedIndexes).toBe(undefined);
  await cluster.settle(11_000);
  expect(await cluster.running()).toEqual([0, 1, 2, 3]);
  await cluster.end("Succeeded", 0);
  await cluster.end("Failed", 1);
  expect(await cluster.conditions()).toContain("Failed/BackoffLimitExceeded");
});

const EXIT_1 = { onExitCodes: { operator: "In", values: [1] } };

test("without JobPodFailurePolicy rules are ignored until it is on again", async () => {
  const cluster = await aCluster();
  const podFailurePolicy = { rules: [{ action: "FailJob", ...EXIT_1 }] };
  await cluster.create({ ...INDEXED, podFailurePolicy, backoffLimit: 9 });
  await cluster.restart("JobPodFailurePolicy");
  await cluster.end("Failed", 0);
  expect(await cluster.conditions()).toEqual([]);
  await cluster.settle(11_000);
  expect(await cluster.running()).toEqual([0, 1]);
  // A failed pod that still exists is evaluated again.
  await cluster.restart();
  expect(await cluster.conditions()).toContain("Failed/PodFailurePolicy");
});

test("without JobSuccessPolicy a Job runs all its indexes", async () => {
  const cluster = await aCluster();
  const successPolicy = { rules: [{ succeededIndexes: "0" }] };
  await cluster.create({ ...INDEXED, successPolicy });
  await cluster.restart("JobSuccessPolicy");
  await cluster.end("Succeeded", 0);
  expect(await cluster.conditions()).toEqual([]);
  expect(await cluster.running()).toEqual([1, 2]);
  await cluster.restart();
  expect(await cluster.conditions()).toContain("SuccessCriteriaMet/SuccessPolicy");
});

test("without JobPodReplacementPolicy a terminating pod is replaced and not shown", async () => {
  const cluster = await aCluster();
  const job = await cluster.create({ ...INDEXED, podReplacementPolicy: "Failed", parallelism: 1 });
  expect((await cluster.job()).status.terminating).toBe(0);
  const [pod] = await cluster.list();
  const name = { namespace: "default", name: pod?.metadata.name ?? "" };
  await cluster.client.delete(pods, name);
  await cluster.settle(11_000);
  expect(await cluster.list()).toHaveLength(1);
  expect((await cluster.job()).status.terminating).toBe(1);
  await cluster.restart("JobPodReplacementPolicy");
  await cluster.settle(11_000);
  expect((await cluster.job()).status).toMatchObject({ active: 1, failed: 1 });
  const { spec, status } = await cluster.job();
  expect(status).not.toHaveProperty("terminating");
  expect(spec).toEqual(job.spec);
});

test("without JobManagedBy Jobs of other controllers run here until it is on again", async () => {
  const cluster = await aCluster();
  await cluster.create({ ...INDEXED, managedBy: "example.com/other" });
  expect(await cluster.running()).toEqual([]);
  await cluster.restart("JobManagedBy");
  expect(await cluster.running()).toEqual([0, 1]);
  const { status } = await cluster.job();
  await cluster.restart();
  await cluster.end("Succeeded", 0);
  expect((await cluster.job()).status).toEqual(status);
});

test("without both features that delay it, a failed Job ends at once, unannounced", async () => {
  const cluster = await aCluster("JobManagedBy", "JobPodReplacementPolicy");
  await cluster.create({ ...INDEXED, backoffLimit: 0 });
  await cluster.end("Failed", 1);
  expect(await cluster.conditions()).toEqual(["Failed/BackoffLimitExceeded"]);
});

test("without both features that delay it, a succeeded Job ends at once, unannounced", async () => {
  const cluster = await aCluster("JobManagedBy", "JobPodReplacementPolicy");
  await cluster.create({});
  await cluster.end("Succeeded");
  expect(await cluster.conditions()).toEqual(["Complete/CompletionsReached"]);
});

test.each([
  [true, undefined],
  [false, 1],
])("disruption conditions %s: an evicted pod failed %s times", async (isOn, failed) => {
  const off: Feature[] = isOn ? [] : ["PodDisruptionConditions"];
  const cluster = await aCluster(...off);
  const onPodConditions = [{ type: "DisruptionTarget", status: "True" }];
  const podFailurePolicy = { rules: [{ action: "Ignore", onPodConditions }] };
  await cluster.create({ ...INDEXED, podFailurePolicy, parallelism: 1 });
  const name = (await cluster.list())[0]?.metadata.name ?? "";
  const path = `/api/v1/namespaces/default/pods/${name}`;
  const running = { phase: "Running", conditions: [] };
  ask(cluster.server, "PATCH", `${path}/status`, { status: running });
  ask(cluster.server, "POST", `${path}/eviction`, { metadata: { name } });
  ask(cluster.server, "PATCH", `${path}/status`, { status: { phase: "Failed" } });
  await cluster.settle();
  expect((await cluster.job()).status.failed).toBe(failed);
});

test("a Job with an unknown completion mode is not synced", async () => {
  const cluster = await aCluster();
  const job = await cluster.create({ ...INDEXED, suspend: true });
  await cluster.restart();
  const next = draftOf(await cluster.job()) as Draft<typeof job>;
  Object.assign(next.spec, { completionMode: "Sorted", suspend: false });
  const key = { resource: "jobs.batch", namespace: "default", name: "j" };
  const revision = next.metadata.resourceVersion ?? "";
  cluster.server.store.update(key, next as Draft<KubeObject>, revision);
  const stored = await cluster.job();
  await cluster.settle();
  expect(await cluster.job()).toEqual(stored);
  expect(await cluster.list()).toEqual([]);
  expect(await cluster.reasons()).toContain("UnknownCompletionMode");
});
