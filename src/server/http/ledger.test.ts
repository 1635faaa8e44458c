import { beforeEach, expect, test } from "vitest";
import { aJob } from "../../../test/builders/job.ts";
import { aJobPod, exited } from "../../../test/builders/job-pods.ts";
import { aServer, type TestServer } from "../../../test/builders/server.ts";
import { ask } from "../../../test/support/ask.ts";
import type { Job, JobStatus } from "../../api/generated/batch.ts";
import type { Pod, PodStatus } from "../../api/generated/core.ts";
import { type Draft, draftOf, type KubeObject } from "../../api/object.ts";
import type { ObjectKey } from "../../store/types.ts";
import type { JobIndex } from "../ledger/job-index.ts";

const INDEXES = "/apis/tallyjob.io/v1alpha1/namespaces/ns/jobs/work/indexes";
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

let server: TestServer;
beforeEach(() => {
  server = aServer();
});

test("every index of a Job is listed with its state and its attempts", () => {
  const job = createJob({ completions: 7, status: { completedIndexes: "0", failedIndexes: "1" } });
  createPod(job, 0, ended("Succeeded", 0));
  createPod(job, 1, ended("Failed", 3));
  createPod(job, 2, { phase: "Running", startTime: "2026-01-01T00:00:10Z" });
  createPod(job, 3, { phase: "Pending" });
  createPod(job, 4, ended("Failed", 4));
  // This success is not counted yet.
  createPod(job, 5, ended("Succeeded", 0));
  const { status, object, revision } = ask(server, "GET", INDEXES);
  expect([status, object.kind, object.apiVersion]).toEqual([
    200,
    "JobIndexList",
    "tallyjob.io/v1alpha1",
  ]);
  expect(revision).toBe(server.store.revision);
  const items = itemsOf(object);
  expect(items.map(({ spec, status: { state } }) => `${spec.index} ${state}`)).toEqual([
    "0 Succeeded",
    "1 Failed",
    "2 Running",
    "3 Pending",
    "4 BackingOff",
    "5 Succeeded",
    "6 Pending",
  ]);
  expect(items.map(({ status: { attempts } }) => attempts.map((each) => each.outcome))).toEqual([
    ["Succeeded"],
    ["Failed"],
    ["Running"],
    ["Pending"],
    ["Failed"],
    ["Succeeded"],
    [],
  ]);
  expect(items[1]).toEqual({
    apiVersion: "tallyjob.io/v1alpha1",
    kind: "JobIndex",
    metadata: {
      name: "work-1",
      namespace: "ns",
      creationTimestamp: job.metadata.creationTimestamp,
      ownerReferences: [
        { apiVersion: "batch/v1", kind: "Job", name: "work", uid: job.metadata.uid },
      ],
    },
    spec: { jobName: "work", index: 1 },
    status: {
      state: "Failed",
      attempts: [
        {
          outcome: "Failed",
          startTime: "2026-01-01T00:00:00Z",
          endTime: "2026-01-01T00:00:30Z",
          exitCode: 3,
          node: "node-a",
          pod: "work-1-1",
          podUID: "1",
          jobUID: job.metadata.uid,
        },
      ],
    },
  });
});

test.each([
  ["Failed", "status.state=Failed", [1]],
  ["BackingOff", "status.state=BackingOff", [4]],
  ["Pending", "status.state==Pending", [3, 6]],
  ["Running", "status.state=Running", [2]],
  ["Succeeded", "status.state=Succeeded", [0, 5]],
  ["all but two", "status.state!=Pending,status.state!=Succeeded", [1, 2, 4]],
  ["an unknown state", "status.state=Nonsense", []],
  ["two states at once", "status.state=Failed,status.state=Running", []],
  ["one index by number", "spec.index=4", [4]],
  ["one index by name", "metadata.name=work-4", [4]],
  ["one index by another name", "metadata.name=other-4", []],
  ["one index in another state", "spec.index=4,status.state=Failed", []],
  ["another namespace", "metadata.namespace=other", []],
])("a selector for %s: %s", (_, selector, expected) => {
  const job = createJob({ completions: 7, status: { completedIndexes: "0", failedIndexes: "1" } });
  createPod(job, 2, { phase: "Running" });
  createPod(job, 3, { phase: "Pending" });
  createPod(job, 4, ended("Failed", 4));
  createPod(job, 5, ended("Succeeded", 0));
  const { object } = ask(server, "GET", `${INDEXES}?fieldSelector=${encodeURIComponent(selector)}`);
  expect(itemsOf(object).map(({ spec }) => spec.index)).toEqual(expected);
});

test("indexes have no labels", () => {
  createJob({ completions: 3 });
  expect(itemsOf(ask(server, "GET", `${INDEXES}?labelSelector=a%3Db`).object)).toEqual([]);
  expect(itemsOf(ask(server, "GET", `${INDEXES}?labelSelector=a%21%3Db`).object)).toHaveLength(3);
});

test("a list is read in pages", () => {
  createJob({ completions: 5, status: { completedIndexes: "1,3" } });
  const first = ask(server, "GET", `${INDEXES}?limit=2`).object;
  expect([indexesOf(first), first.metadata]).toMatchObject([[0, 1], { remainingItemCount: 3 }]);
  const second = ask(server, "GET", `${INDEXES}?limit=2&continue=${tokenOf(first)}`).object;
  expect([indexesOf(second), second.metadata]).toMatchObject([[2, 3], { remainingItemCount: 1 }]);
  const third = ask(server, "GET", `${INDEXES}?limit=2&continue=${tokenOf(second)}`).object;
  expect(indexesOf(third)).toEqual([4]);
  expect(Object.keys(third.metadata)).toEqual(["resourceVersion"]);
  const filtered = ask(server, "GET", `${INDEXES}?limit=1&fieldSelector=status.state=Succeeded`);
  expect(indexesOf(filtered.object)).toEqual([1]);
  expect(filtered.object.metadata).not.toHaveProperty("remainingItemCount");
  const token = tokenOf(filtered.object);
  const rest = `${INDEXES}?continue=${token}&fieldSelector=status.state=Succeeded`;
  expect(indexesOf(ask(server, "GET", rest).object)).toEqual([3]);
});

test("the last page has no continue token", () => {
  createJob({ completions: 4 });
  const { metadata } = ask(server, "GET", `${INDEXES}?limit=4`).object;
  expect(Object.keys(metadata)).toEqual(["resourceVersion"]);
});

test("pages and states of a million indexes are found", () => {
  const failed = Array.from({ length: 25 }, (_, n) => n * 20_000 + 7);
  createJob({
    completions: 1_000_000,
    status: { completedIndexes: "8-19999,500000-999999", failedIndexes: failed.join(",") },
  });
  const { object } = ask(server, "GET", `${INDEXES}?fieldSelector=status.state=Failed`);
  expect(indexesOf(object)).toEqual(failed);
  expect(indexesOf(ask(server, "GET", `${INDEXES}?limit=3`).object)).toEqual([0, 1, 2]);
  const whole = ask(server, "GET", INDEXES).object;
  expect(itemsOf(whole)).toHaveLength(10_000);
  expect(whole.metadata).toMatchObject({ remainingItemCount: 990_000 });
});

test("a single index can be read", () => {
  createJob({ completions: 3, status: { failedIndexes: "2" } });
  const { status, object } = ask(server, "GET", `${INDEXES}/2`);
  expect([status, object.kind, object.metadata.name]).toEqual([200, "JobIndex", "work-2"]);
  expect(object).toMatchObject({ status: { state: "Failed", attempts: [] } });
});

test("a table has a row per index, and wide columns for the pod and the log", () => {
  server.clock.advance(Date.parse("2026-01-01T00:05:00Z") - server.clock.nowMs());
  const job = createJob({ completions: 3, status: { completedIndexes: "0" } });
  createPod(job, 0, ended("Succeeded", 0), { "tallyjob.io/log-file": "/logs/0" });
  createPod(job, 1, { phase: "Running", startTime: "2026-01-01T00:04:00Z" });
  const table = ask(server, "GET", INDEXES, undefined, { accept: TABLE }).object as unknown as {
    kind: string;
    columnDefinitions: { name: string; priority: number }[];
    rows: { cells: unknown[]; object: object }[];
  };
  expect(table.kind).toBe("Table");
  const names = table.columnDefinitions.map(({ name, priority }) => name + "+".repeat(priority));
  expect(names.join(" ")).toBe("Index State Attempts Exit Reason Node Duration Age Pod+ Log+");
  expect(table.rows.map(({ cells }) => cells.join(" "))).toEqual([
    "0 Succeeded 1 0 <none> node-a 30s 5m work-0-0 /logs/0",
    "1 Running 1 <none> <none> node-a 60s 60s work-1-1 <none>",
    "2 Pending 0 <none> <none> <none> <none> <none> <none> <none>",
  ]);
  expect(table.rows[0]?.object).toMatchObject({ kind: "PartialObjectMetadata" });
  const one = ask(server, "GET", `${INDEXES}/1`, undefined, { accept: TABLE }).object;
  expect(one).toMatchObject({ kind: "Table", rows: [{}] });
});

test.each([
  ["application/yaml", "application/yaml", /^apiVersion: tallyjob.io\/v1alpha1\n/m],
  ["application/vnd.kubernetes.protobuf,application/json", "application/json", /^\{/],
])("the list can be read as %s", (accept, contentType, text) => {
  createJob({ completions: 1 });
  const told = ask(server, "GET", INDEXES, undefined, { accept });
  expect([told.status, told.contentType]).toEqual([200, contentType]);
  expect(told.text).toMatch(text);
});

const UNKNOWN = "the server could not find the requested resource";
const NOT_ALLOWED = "the server does not allow this method on the requested resource";

test.each<[string, string, number, string, string]>([
  ["GET", INDEXES.replace("work", "none"), 404, "NotFound", 'jobs.batch "none" not found'],
  ["GET", `${INDEXES.replace("work", "none")}/1`, 404, "NotFound", 'jobs.batch "none" not found'],
  ["GET", `${INDEXES}/3`, 404, "NotFound", 'jobs/indexes.tallyjob.io "3" not found'],
  ["GET", `${INDEXES}/01`, 404, "NotFound", 'jobs/indexes.tallyjob.io "01" not found'],
  ["GET", `${INDEXES}/x`, 404, "NotFound", 'jobs/indexes.tallyjob.io "x" not found'],
  ["GET", `${INDEXES}/1/2`, 404, "NotFound", UNKNOWN],
  ["GET", INDEXES.replace("v1alpha1", "v1"), 404, "NotFound", UNKNOWN],
  ["GET", INDEXES.replace("/indexes", ""), 404, "NotFound", UNKNOWN],
  ["GET", INDEXES.replace("/jobs/", "/pods/"), 404, "NotFound", UNKNOWN],
  ["POST", INDEXES, 405, "MethodNotAllowed", NOT_ALLOWED],
  ["DELETE", `${INDEXES}/1`, 405, "MethodNotAllowed", NOT_ALLOWED],
  ["GET", `${INDEXES}?watch=true`, 405, "MethodNotAllowed", NOT_ALLOWED],
  ["GET", `${INDEXES}?limit=x`, 400, "BadRequest", 'strconv.ParseInt: parsing "x": invalid syntax'],
  [
    "GET",
    `${INDEXES}?fieldSelector=status.phase=x`,
    400,
    "BadRequest",
    "field label not supported: status.phase",
  ],
  [
    "GET",
    `${INDEXES}?fieldSelector=x`,
    400,
    "BadRequest",
    "invalid selector: 'x'; can't understand 'x'",
  ],
  [
    "GET",
    `${INDEXES}?continue=x`,
    400,
    "BadRequest",
    "invalid continue token: continue key is not valid: illegal base64 data at input byte 0",
  ],
  [
    "GET",
    `${INDEXES}?resourceVersion=1&resourceVersionMatch=Exact`,
    410,
    "Expired",
    "The resourceVersion for the provided list is too old.",
  ],
])("%s %s is answered with %i", (method, url, code, reason, message) => {
  createJob({ completions: 3 });
  const { status, object } = ask(server, method, url);
  expect([status, object]).toMatchObject([code, { kind: "Status", reason, message }]);
});

test("an unsupported media type is answered with 406", () => {
  createJob({ completions: 3 });
  const accept = "application/vnd.kubernetes.protobuf";
  expect(ask(server, "GET", INDEXES, undefined, { accept })).toMatchObject({ status: 406 });
});

test("a Job that is not Indexed has no indexes", () => {
  createJob({ completions: 3, mode: "NonIndexed" });
  expect(itemsOf(ask(server, "GET", INDEXES).object)).toEqual([]);
});

test("discovery lists the indexes, but no second Job kind", () => {
  const list = ask(server, "GET", "/apis/tallyjob.io/v1alpha1").object;
  expect(list).toMatchObject({
    kind: "APIResourceList",
    groupVersion: "tallyjob.io/v1alpha1",
  });
  const resources = (list as unknown as { resources: { name: string; kind: string }[] }).resources;
  const [first, ...others] = resources;
  expect(first).toMatchObject({ name: "jobs/indexes", kind: "JobIndex", verbs: ["get"] });
  expect(others.filter(({ kind }) => kind === "Job")).toEqual([]);
  expect(ask(server, "GET", "/apis/tallyjob.io").object).toMatchObject({
    kind: "APIGroup",
    preferredVersion: { groupVersion: "tallyjob.io/v1alpha1" },
  });
  const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const whole = ask(server, "GET", "/apis", undefined, { accept }).object as unknown as {
    items: { metadata: { name: string }; versions: { resources: object[] }[] }[];
  };
  const group = whole.items.find(({ metadata }) => metadata.name === "tallyjob.io");
  expect(group?.versions[0]?.resources[0]).toMatchObject({
    resource: "jobs",
    responseKind: { kind: "" },
    verbs: [],
    subresources: [
      { subresource: "indexes", responseKind: { kind: "JobIndex" } },
      { subresource: "submission", verbs: ["create"] },
    ],
  });
});

interface JobFields {
  readonly completions: number;
  readonly mode?: string;
  readonly status?: JobStatus;
}

function createJob({ completions, mode = "Indexed", status = {} }: JobFields): Job {
  const spec = { completionMode: mode, completions, parallelism: 3 };
  const key = { resource: "jobs.batch", namespace: "ns", name: "work" };
  const job = aJob(spec, { name: "work" });
  return store<Job>(key, { ...job, status: draftOf(status) });
}

function createPod(job: Job, index: number, status: PodStatus, annotations = {}): void {
  const pod = aJobPod(job, { uid: String(index), index });
  const metadata = {
    ...pod.metadata,
    annotations: { ...pod.metadata.annotations, ...annotations },
  };
  const placed = { ...pod, metadata, spec: { ...pod.spec, nodeName: "node-a" } };
  const key = { resource: "pods", namespace: "ns", name: pod.metadata.name ?? "" };
  const created = store<Pod>(key, draftOf(placed));
  const next = draftOf({ ...created, status });
  server.store.update(key, next, created.metadata.resourceVersion ?? "");
}

function store<T extends KubeObject>(key: ObjectKey, object: Draft<T>): T {
  return server.store.create(key, object as Draft<KubeObject>) as T;
}

function ended(phase: string, exitCode: number): PodStatus {
  const terminated = {
    exitCode,
    startedAt: "2026-01-01T00:00:00Z",
    finishedAt: "2026-01-01T00:00:30Z",
  };
  return { phase, containerStatuses: [{ ...exited("c", exitCode), state: { terminated } }] };
}

function itemsOf(list: KubeObject): readonly JobIndex[] {
  return (list as unknown as { items: JobIndex[] }).items;
}

function indexesOf(list: KubeObject): number[] {
  return itemsOf(list).map(({ spec }) => spec.index);
}

function tokenOf({ metadata }: KubeObject): string {
  return (metadata as { continue?: string }).continue ?? "";
}
