import { beforeEach, expect, test } from "vitest";
import { INDEXED, POD_SPEC } from "../../../test/builders/job.ts";
import { aServer, type TestServer } from "../../../test/builders/server.ts";
import { ask } from "../../../test/support/ask.ts";
import type { Client, JobSubmission } from "../../api/client.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { ConfigMap } from "../../api/generated/core.ts";
import { configMaps, jobs } from "../../api/resources.ts";
import { localClient } from "../../client/local.ts";

const PLACE = { namespace: "default", name: "work" };

let server: TestServer;
let client: Client;
beforeEach(() => {
  server = aServer();
  client = localClient(server);
});

test("a Job is stored with its settled indexes and its support objects", async () => {
  const job = await submit({ settled: { completed: "0-1,4", failed: "2" } });
  expect(job.status).toMatchObject({ completedIndexes: "0,1,4", failedIndexes: "2", succeeded: 3 });
  expect(job.status.startTime).toBeDefined();
  const list = await client.get(configMaps, { ...PLACE, name: "list" });
  expect(list.metadata.ownerReferences).toMatchObject([
    { kind: "Job", name: "work", uid: job.metadata.uid, controller: true },
  ]);
});

test("a Job replaces the former one and takes over its support objects", async () => {
  const former = await submit();
  const next = await submit({ support: [], former: { ...asRead(former), leavesSupport: true } });
  expect(next.metadata.uid).not.toBe(former.metadata.uid);
  const list = await client.get(configMaps, { ...PLACE, name: "list" });
  expect(list.metadata.ownerReferences).toMatchObject([{ uid: next.metadata.uid }]);
});

test("nothing is written if the former Job has changed since it was read", async () => {
  const former = await submit();
  const body = { spec: { parallelism: 1 } };
  const changed = await client.patch(jobs, PLACE, { type: "merge", body });
  const { revision } = server.store;
  await expect(submit({ support: [aList("other")], former: asRead(former) })).rejects.toMatchObject(
    { reason: "Conflict" },
  );
  expect(server.store.revision).toBe(revision);
  expect((await client.get(jobs, PLACE)).metadata.uid).toBe(changed.metadata.uid);
});

test.each<[string, (former: Job) => Partial<JobSubmission>, string]>([
  ["an invalid object", () => ({ support: [aList("No Name")] }), "Invalid"],
  ["an object that exists", () => ({ support: [aList("list")] }), "AlreadyExists"],
  ["an invalid Job", () => ({ job: aWork({ parallelism: -1 }) }), "Invalid"],
  ["an unsupported kind", () => ({ support: [aPod()] }), "BadRequest"],
  [
    "an invalid list of indexes",
    () => ({ settled: { completed: "1;2", failed: "" } }),
    "BadRequest",
  ],
])("nothing is written of a submission with %s", async (_, fields, reason) => {
  const former = await submit();
  const { revision } = server.store;
  const submission = { support: [], former: asRead(former), ...fields(former) };
  await expect(submit(submission)).rejects.toMatchObject({ reason });
  expect(server.store.revision).toBe(revision);
});

test("an existing name is rejected unless the former Job is given", async () => {
  await submit();
  await expect(submit({ support: [] })).rejects.toMatchObject({ reason: "AlreadyExists" });
});

test("a Job with a finalizer is not replaced", async () => {
  const body = { metadata: { finalizers: ["example.com/hold"] } };
  await submit();
  const held = await client.patch(jobs, PLACE, { type: "merge", body });
  await expect(submit({ support: [], former: asRead(held) })).rejects.toMatchObject({
    reason: "Conflict",
    message: expect.stringContaining("example.com/hold"),
  });
});

interface Status {
  readonly reason: string;
}

const PATH = "/apis/tallyjob.io/v1alpha1/namespaces/default/jobs/work/submission";

test("a Job can be submitted over HTTP", async () => {
  const submission = { job: aWork(), support: [aList("list")] };
  const { status, object, revision } = ask(server, "POST", PATH, submission);
  expect([status, object.kind, revision]).toEqual([201, "Job", server.store.revision]);
  const taken = ask(server, "POST", PATH, { job: aWork(), support: [] });
  expect([taken.status, (taken.object as unknown as Status).reason]).toEqual([
    409,
    "AlreadyExists",
  ]);
});

test.each<[string, unknown, number]>([
  ["no Job", {}, 400],
  ["a Job with another name", { job: { metadata: { name: "other" } } }, 400],
  ["support that is not a list", { job: aWork(), support: {} }, 400],
  ["support without metadata", { job: aWork(), support: [{}] }, 400],
  ["a former Job without a uid", { job: aWork(), former: {} }, 400],
  ["settled indexes that are not texts", { job: aWork(), settled: { completed: 1 } }, 400],
  ["a JSON string", "job", 400],
])("a request with %s is rejected", (_, body, status) => {
  expect(ask(server, "POST", PATH, body as object).status).toBe(status);
  expect(ask(server, "GET", PATH).status).toBe(405);
});

function submit(fields: Partial<JobSubmission> = {}): Promise<Job> {
  const submission = { job: aWork(), support: [aList("list")], ...fields };
  return client.submitJob?.(submission) ?? Promise.reject(new Error("no submissions"));
}

function aWork(spec: object = {}): Job {
  const indexed = { ...INDEXED, completions: 5, backoffLimitPerIndex: 1 };
  const whole = { ...indexed, template: { spec: POD_SPEC }, ...spec };
  const job = { apiVersion: "batch/v1", kind: "Job", metadata: PLACE, spec: whole, status: {} };
  return job as unknown as Job;
}

function aList(name: string): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { ...PLACE, name }, data: { a: "b" } };
}

function aPod() {
  return { apiVersion: "v1", kind: "Pod", metadata: { ...PLACE, name: "pod" } };
}

function asRead({ metadata: { uid = "", resourceVersion = "" } }: Job) {
  return { uid, resourceVersion };
}
