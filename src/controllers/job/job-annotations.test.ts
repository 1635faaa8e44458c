/** Tally's annotations on Jobs, tested as a user of the server sees them. */
import { expect, test } from "vitest";
import { INDEXED } from "../../../test/builders/job.ts";
import { aJobCluster, indexOf, JOB, type JobCluster } from "../../../test/builders/job-cluster.ts";
import { pods } from "../../api/resources.ts";

const RERUN = "tallyjob.io/rerun-indexes";
const COMPLETED = "tallyjob.io/completed-indexes";
const FAILED = "tallyjob.io/failed-indexes";
const KEEP = "tallyjob.io/keep-pods";

async function request(cluster: JobCluster): Promise<string | undefined> {
  return (await cluster.job()).metadata.annotations?.[RERUN];
}

/** How often each index was run. */
async function runs(cluster: JobCluster): Promise<{ [index: string]: number }> {
  const counts: { [index: string]: number } = {};
  for (const pod of await cluster.list()) {
    counts[indexOf(pod)] = (counts[indexOf(pod)] ?? 0) + 1;
  }
  return counts;
}

test("completed indexes run again and stay completed; others are unaffected", async () => {
  const cluster = await aJobCluster();
  await cluster.create({ ...INDEXED, completions: 4, parallelism: 2 });
  await cluster.end("Succeeded", 0);
  await cluster.end("Succeeded", 1);
  expect(await cluster.running()).toEqual([2, 3]);
  await cluster.annotate({ [RERUN]: "0-2" });
  expect(await request(cluster)).toBe("0,1");
  await cluster.end("Succeeded", 2);
  expect(await cluster.running()).toEqual([0, 3]);
  expect((await cluster.job()).status).toMatchObject({ completedIndexes: "0-2", succeeded: 3 });
  await cluster.end("Succeeded", 3);
  expect(await cluster.running()).toEqual([0, 1]);
  expect((await cluster.job()).status).toMatchObject({ completedIndexes: "0-3", active: 2 });
  await cluster.end("Succeeded", 0);
  expect(await request(cluster)).toBe("1");
  expect(await cluster.conditions()).toEqual([]);
  await cluster.end("Failed", 1);
  expect(await request(cluster)).toBe(undefined);
  const { status } = await cluster.job();
  expect(status).toMatchObject({ completedIndexes: "0-3", succeeded: 4 });
  expect(status.failed).toBe(undefined);
  expect(await cluster.conditions()).toContain("Complete/CompletionsReached");
  expect(await runs(cluster)).toEqual({ 0: 2, 1: 2, 2: 1, 3: 1 });
});

test("a failed index whose re-run succeeds is completed", async () => {
  const cluster = await aJobCluster();
  await cluster.create({ ...INDEXED, completions: 3, parallelism: 3, backoffLimitPerIndex: 0 });
  await cluster.end("Failed", 1);
  await cluster.end("Failed", 2);
  expect((await cluster.job()).status.failedIndexes).toBe("1,2");
  await cluster.annotate({ [RERUN]: "1,2" });
  expect(await cluster.running()).toEqual([0, 1, 2]);
  await cluster.end("Succeeded", 0);
  expect(await cluster.conditions()).toEqual([]);
  await cluster.end("Failed", 2);
  await cluster.end("Succeeded", 1);
  const { status } = await cluster.job();
  expect(status).toMatchObject({ completedIndexes: "0,1", failedIndexes: "2", failed: 2 });
  expect(await cluster.conditions()).toContain("Failed/FailedIndexes");
});

test("a re-run interrupted by suspension runs again; one that has ended does not", async () => {
  const cluster = await aJobCluster();
  await cluster.create({ ...INDEXED, completions: 3, parallelism: 3 });
  await cluster.end("Succeeded", 0);
  await cluster.end("Succeeded", 1);
  await cluster.annotate({ [RERUN]: "0,1" });
  await cluster.end("Failed", 0);
  await cluster.edit({ suspend: true });
  expect(await request(cluster)).toBe("1");
  await cluster.edit({ suspend: false });
  expect(await cluster.running()).toEqual([1, 2]);
});

test("failed re-runs do not count against the limits of the Job", async () => {
  const cluster = await aJobCluster();
  const rules = [{ action: "FailJob", onExitCodes: { operator: "In", values: [1] } }];
  const policy = { podFailurePolicy: { rules }, backoffLimit: 0 };
  await cluster.create({ ...INDEXED, completions: 2, parallelism: 2, ...policy });
  await cluster.end("Succeeded", 0);
  await cluster.annotate({ [RERUN]: "0" });
  await cluster.end("Failed", 0);
  expect(await cluster.conditions()).toEqual([]);
  expect(await cluster.running()).toEqual([1]);
});

test("a Job does not end before its re-runs have ended", async () => {
  const cluster = await aJobCluster();
  const successPolicy = { rules: [{ succeededIndexes: "0,1" }] };
  await cluster.create({ ...INDEXED, completions: 3, parallelism: 3, successPolicy });
  await cluster.end("Succeeded", 0);
  await cluster.annotate({ [RERUN]: "0" });
  await cluster.end("Succeeded", 1);
  expect(await cluster.conditions()).toEqual([]);
  await cluster.end("Succeeded", 0);
  expect(await cluster.conditions()).toContain("SuccessCriteriaMet/SuccessPolicy");
});

test("an invalid re-run request changes nothing and records an event", async () => {
  const cluster = await aJobCluster();
  await cluster.create(INDEXED);
  await cluster.end("Succeeded", 0);
  await cluster.annotate({ [RERUN]: "0,9" });
  await cluster.settle(5000);
  expect(await request(cluster)).toBe("0,9");
  expect(await runs(cluster)).toEqual({ 0: 1, 1: 1, 2: 1, 3: 1 });
  expect(await cluster.warnings()).toEqual([
    `InvalidRerunIndexes: ${RERUN} has index 9, and the Job has 0 to 4`,
  ]);
});

test("a finished Job ignores re-run requests and an event says what to do instead", async () => {
  const cluster = await aJobCluster();
  await cluster.create({ ...INDEXED, completions: 1 });
  await cluster.end("Succeeded", 0);
  const { status } = await cluster.job();
  await cluster.annotate({ [RERUN]: "0" });
  expect((await cluster.job()).status).toEqual(status);
  expect(await cluster.running()).toEqual([]);
  expect(await cluster.warnings()).toEqual([
    "RerunIgnored: A finished Job stays finished: to run some of its indexes again, create it " +
      `again with the others in ${COMPLETED}`,
  ]);
});

test("a Job created with completed indexes runs the others", async () => {
  const cluster = await aJobCluster();
  await cluster.create({ ...INDEXED, completions: 5, parallelism: 5 }, { [COMPLETED]: "0-2,4" });
  expect(await cluster.running()).toEqual([3]);
  expect((await cluster.job()).status).toMatchObject({ completedIndexes: "0-2,4", succeeded: 4 });
  await cluster.restart();
  await cluster.end("Succeeded", 3);
  expect((await cluster.job()).status).toMatchObject({ completedIndexes: "0-4", succeeded: 5 });
  expect(await cluster.conditions()).toContain("Complete/CompletionsReached");
  const counted = 'job_finished_indexes_total{status="succeeded",backoffLimit="global"} 1';
  expect(cluster.metrics.text()).toContain(counted);
});

test("a Job created with all its indexes completed is complete", async () => {
  const cluster = await aJobCluster();
  await cluster.create(INDEXED, { [COMPLETED]: "0-4" });
  await cluster.settle();
  expect(await cluster.conditions()).toContain("Complete/CompletionsReached");
  expect((await cluster.job()).status).toMatchObject({ completedIndexes: "0-4", succeeded: 5 });
  expect(await cluster.list()).toEqual([]);
});

test("a Job with invalid completed-indexes starts once they are corrected", async () => {
  const cluster = await aJobCluster();
  await cluster.create(INDEXED, { [COMPLETED]: "0-2;4" });
  expect(await cluster.list()).toEqual([]);
  expect((await cluster.job()).status).toEqual({});
  expect(await cluster.reasons()).toEqual(["InvalidCompletedIndexes"]);
  await cluster.annotate({ [COMPLETED]: "0-2,4" });
  expect(await cluster.running()).toEqual([3]);
});

test("completed-indexes set after the start are ignored", async () => {
  const cluster = await aJobCluster();
  await cluster.create(INDEXED);
  await cluster.annotate({ [COMPLETED]: "0-4" });
  await cluster.restart();
  expect(await cluster.running()).toEqual([0, 1, 2]);
  expect((await cluster.job()).status.completedIndexes).toBe(undefined);
});

test.each([
  ["of the Job", {}],
  ["of the index", { ...INDEXED, completions: 1, backoffLimitPerIndex: 9 }],
])("the back-off %s follows the Job's annotations", async (_whose, spec) => {
  const cluster = await aJobCluster();
  const asked = { "tallyjob.io/backoff-base": "2s", "tallyjob.io/backoff-cap": "3s" };
  await cluster.create(spec, asked);
  for (const waitMs of [2000, 3000, 3000]) {
    await cluster.settle(1000 - (cluster.clock.nowMs() % 1000));
    await cluster.end("Failed");
    await cluster.settle(waitMs - 650);
    expect(await cluster.running()).toHaveLength(0);
    await cluster.settle(100);
    expect(await cluster.running()).toHaveLength(1);
  }
  await cluster.annotate({ "tallyjob.io/backoff-base": "0s" });
  await cluster.end("Failed");
  expect(await cluster.running()).toHaveLength(1);
  await cluster.annotate({ "tallyjob.io/backoff-base": "now" });
  await cluster.settle(5000);
  await cluster.end("Failed");
  expect(await cluster.warnings()).toEqual([
    'InvalidBackoff: tallyjob.io/backoff-base must be a duration such as "10s" or "1m30s", ' +
      'not "now"',
  ]);
});

test.each([
  ["all", { 0: 2, 1: 1, 2: 1 }, { 0: 2, 1: 1, 2: 1 }],
  ["failed", { 0: 2, 2: 1 }, { 0: 1 }],
  ["none", { 0: 1, 2: 1 }, {}],
])(
  "with keep-pods %s the other pods are deleted once they are counted",
  async (kept, then, last) => {
    const cluster = await aJobCluster({ backoff: { firstMs: 0, maxMs: 0 } });
    await cluster.create({ ...INDEXED, completions: 3, parallelism: 3 }, { [KEEP]: kept });
    await cluster.end("Succeeded", 1);
    await cluster.end("Failed", 0);
    expect(await runs(cluster)).toEqual(then);
    await cluster.end("Succeeded", 0);
    await cluster.end("Succeeded", 2);
    expect(await runs(cluster)).toEqual(last);
    const { status } = await cluster.job();
    expect(status).toMatchObject({ completedIndexes: "0-2", succeeded: 3, failed: 1 });
    expect(await cluster.conditions()).toContain("Complete/CompletionsReached");
  },
);

test("pods left by one controller are cleaned up by the next", async () => {
  let isDown = true;
  const cluster = await aJobCluster({}, (client) => ({
    delete: async (type, name, request) => {
      if (isDown) throw new Error("down");
      return client.delete(type, name, request);
    },
  }));
  await cluster.create({ ...INDEXED, completions: 2, parallelism: 2 }, { [KEEP]: "failed" });
  await cluster.end("Succeeded", 0);
  await cluster.end("Succeeded", 1);
  expect(await runs(cluster)).toEqual({ 0: 1, 1: 1 });
  isDown = false;
  await cluster.restart();
  expect(await runs(cluster)).toEqual({});
  expect((await cluster.job()).status).toMatchObject({ completedIndexes: "0,1", succeeded: 2 });
});

test("setting keep-pods to none on a finished Job deletes its pods", async () => {
  const cluster = await aJobCluster();
  await cluster.create({ ...INDEXED, completions: 1 });
  await cluster.end("Succeeded", 0);
  await cluster.annotate({ [KEEP]: "some" });
  expect(await cluster.list()).toHaveLength(1);
  await cluster.annotate({ [KEEP]: "none" });
  expect(await cluster.list()).toHaveLength(0);
});

test("with a limit per index, the failed pod is kept until its replacement exists", async () => {
  const cluster = await aJobCluster();
  const spec = { ...INDEXED, completions: 1, backoffLimitPerIndex: 3 };
  await cluster.create(spec, { [KEEP]: "none" });
  await cluster.end("Failed", 0);
  expect(await cluster.list()).toHaveLength(1);
  await cluster.settle(12_000);
  const [pod, ...others] = await cluster.list();
  expect(others).toEqual([]);
  const count = pod?.metadata.annotations?.["batch.kubernetes.io/job-index-failure-count"];
  expect(count).toBe("1");
});

test.each([
  ["existing pods", "all", false],
  ["the annotation of a Job that keeps no pods", "none", false],
  ["the status if somebody deleted the pods", "all", true],
])("after a restart the back-off continues, based on %s", async (_by, kept, isCollected) => {
  const cluster = await aJobCluster();
  await cluster.create({}, { [KEEP]: kept });
  for (const waitMs of [10_000, 20_000, 40_000]) {
    await cluster.settle(1000 - (cluster.clock.nowMs() % 1000));
    await cluster.end("Failed");
    if (waitMs < 40_000) await cluster.restart();
    await cluster.settle(waitMs - 2500);
    expect(await cluster.running()).toHaveLength(0);
    await cluster.settle(3000);
    expect(await cluster.running()).toHaveLength(1);
    if (!isCollected) continue;
    for (const { metadata, status } of await cluster.list()) {
      const name = { ...JOB, name: metadata.name ?? "" };
      if (status.phase === "Failed") await cluster.client.delete(pods, name);
    }
    await cluster.restart();
  }
  expect((await cluster.job()).status.failed).toBe(3);
});

test.each(["all", "failed", "none"])(
  "a success resets the back-off, also after a restart (keep-pods %s)",
  async (kept) => {
    const cluster = await aJobCluster();
    await cluster.create({ completions: 9, parallelism: 3 }, { [KEEP]: kept });
    for (const phase of ["Failed", "Failed", "Succeeded"] as const) {
      await cluster.settle(1000 - (cluster.clock.nowMs() % 1000));
      await cluster.end(phase);
    }
    await cluster.settle(30_000);
    await cluster.end("Failed");
    await cluster.restart();
    await cluster.settle(8000);
    expect(await cluster.running()).toHaveLength(2);
    await cluster.settle(3000);
    expect(await cluster.running()).toHaveLength(3);
    expect((await cluster.job()).status).toMatchObject({ failed: 3, succeeded: 1 });
  },
);

test("a Job created with failed-indexes does not run them and ends as failed", async () => {
  const cluster = await aJobCluster();
  const spec = { ...INDEXED, completions: 4, parallelism: 4, backoffLimitPerIndex: 1 };
  await cluster.create(spec, { [COMPLETED]: "0", [FAILED]: "2" });
  expect(await cluster.running()).toEqual([1, 3]);
  expect((await cluster.job()).status).toMatchObject({ completedIndexes: "0", failedIndexes: "2" });
  await cluster.end("Succeeded", 1);
  await cluster.end("Succeeded", 3);
  expect((await cluster.job()).status).toMatchObject({ completedIndexes: "0,1,3", succeeded: 3 });
  expect(await cluster.conditions()).toContain("Failed/FailedIndexes");
});

test("a Job with invalid failed-indexes does not start", async () => {
  const cluster = await aJobCluster();
  await cluster.create({ ...INDEXED, backoffLimitPerIndex: 1 }, { [FAILED]: "7" });
  expect(await cluster.running()).toEqual([]);
});
