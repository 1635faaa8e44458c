import { afterEach, beforeEach, expect, test } from "vitest";
import { AgentAtWork } from "../../test/builders/agent.ts";
import { INDEXED, POD_SPEC } from "../../test/builders/job.ts";
import type { Job } from "../api/generated/batch.ts";
import { PODS_AHEAD } from "../api/pods-ahead.ts";
import { jobs } from "../api/resources.ts";

let world: AgentAtWork;
let uids: Map<string, number>;

beforeEach(async () => {
  uids = new Map();
  world = await AgentAtWork.start();
});

afterEach(() => world.crash());

/** A Job whose pods wait on the node for their turn. */
function createJob(parallelism: number, isAhead = true): Promise<Job> {
  return world.client.create(jobs, {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: "work",
      namespace: "default",
      annotations: isAhead ? { [PODS_AHEAD]: "64" } : {},
    },
    spec: { ...INDEXED, completions: 100, parallelism, template: { spec: POD_SPEC } },
    status: {},
  } as unknown as Job);
}

async function createPod({ metadata }: Job, index: number, attempt = 0): Promise<string> {
  const owner = { apiVersion: "batch/v1", kind: "Job", name: "work", uid: metadata.uid ?? "" };
  const uid = await world.create(`work-${index}-${attempt}`, {
    metadata: {
      annotations: { "batch.kubernetes.io/job-completion-index": `${index}` },
      ownerReferences: [{ ...owner, controller: true }],
    },
  });
  uids.set(uid, index);
  return uid;
}

/** The indexes that were begun, in the order in which the runtime was asked for them. */
function begun(): readonly (number | undefined)[] {
  return world.runtime.requests.map(({ id }) => uids.get(id.podUid));
}

async function end(index: number, exitCode = 0): Promise<void> {
  const run = world.runtime.alive.find((each) => uids.get(each.split("/")[0] ?? "") === index);
  await world.end(run ?? `no run of index ${index}`, exitCode);
}

test("after a restart waiting pods begin by index, not by name", async () => {
  const job = await createJob(4);
  await world.crash();
  for (const index of [10, 11, 2, 1, 3, 0, 12, 9]) await createPod(job, index);
  await world.open();
  expect(begun()).toEqual([0, 1, 2, 3]);
  await end(2);
  await end(0);
  expect(begun()).toEqual([0, 1, 2, 3, 9, 10]);
});

test("also where a Job lets all its pods begin at once", async () => {
  const job = await createJob(16, false);
  await world.crash();
  for (const index of [10, 2, 11, 0, 1]) await createPod(job, index);
  await world.open();
  expect(begun()).toEqual([0, 1, 2, 10, 11]);
});

test("a retry begins before higher indexes that have waited longer", async () => {
  const job = await createJob(2);
  for (const index of [0, 1, 2, 3]) await createPod(job, index);
  await end(0, 1);
  await createPod(job, 0, 1);
  await end(1);
  expect(begun()).toEqual([0, 1, 2, 0]);
});

test("a restart begins no more than the Job runs at once", async () => {
  const job = await createJob(2);
  for (const index of [2, 3, 10, 11]) await createPod(job, index);
  await world.crash();
  await world.open();
  expect(begun()).toEqual([2, 3]);
  await end(3);
  expect(begun()).toEqual([2, 3, 10]);
});

test("the end of a pod is told while nothing may begin", async () => {
  const job = await createJob(1);
  const uid = await createPod(job, 0);
  await createPod(job, 1);
  await world.crash();
  world.runtime.end(`${uid}/c/0`, 0);
  const body = { spec: { parallelism: 0 } };
  await world.client.patch(jobs, { namespace: "default", name: "work" }, { type: "merge", body });
  await world.open();
  await world.pass(20);
  expect([await world.phaseOf("work-0-0"), await world.phaseOf("work-1-0")]).toEqual([
    "Succeeded",
    "Pending",
  ]);
});

test("a pod that is deleted while it waits goes, and takes nobody's turn", async () => {
  const job = await createJob(1);
  for (const index of [0, 1, 2]) await createPod(job, index);
  await world.delete("work-1-0", 30);
  await world.pass(20);
  expect(await world.isGone("work-1-0")).toBe(true);
  await end(0);
  expect(begun()).toEqual([0, 2]);
});

test("a start that waits for the disk is not overtaken by those behind it", async () => {
  const job = await createJob(2);
  await createPod(job, 0);
  await createPod(job, 1);
  for (const index of [2, 3]) await createPod(job, index);
  const { client } = world;
  await world.crash();
  // The pod of index 2 takes longer to be on disk than that of index 3.
  let sync = () => {};
  const synced = new Promise<void>((resolve) => {
    sync = resolve;
  });
  const { resourceVersion } = (await world.pod("work-2-0")).metadata;
  world.client = {
    ...client,
    durable: (revision) => (revision === resourceVersion ? synced : client.durable(revision)),
  };
  await world.open();
  await end(0);
  await end(1);
  expect(begun()).toEqual([0, 1]);
  sync();
  await world.settle();
  expect(begun()).toEqual([0, 1, 2, 3]);
});
