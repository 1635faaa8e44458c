/** Jobs with a work list, tested as a user of the server sees them. */
import { expect, test } from "vitest";
import { aJobCluster, indexOf, JOB, type JobCluster } from "../../../test/builders/job-cluster.ts";
import type { Client } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { ConfigMap, Pod } from "../../api/generated/core.ts";
import { configMaps, jobs, secrets } from "../../api/resources.ts";
import type { ListObject } from "../../api/work-list/stored-list.ts";
import { MAX_CHUNK_BYTES } from "../../api/work-list/stored-list.ts";
import { composeRun } from "../../runs/compose/compose-run.ts";
import type { RunRequest } from "../../runs/compose/run-request.ts";
import type { JobDecision } from "./decide.ts";
import { dressPods } from "./work-list.ts";

const FRUITS = {
  parameters: ["FRUIT", "COLOR"],
  columns: [
    ["apple", "banana", "cherry"],
    ["green", "yellow", "red"],
  ],
};

const REQUEST: RunRequest = {
  name: JOB.name,
  namespace: JOB.namespace,
  suffix: "x7k2p",
  command: ["echo", "a {COLOR} {FRUIT}"],
  list: FRUITS,
  parallelism: 2,
};

async function createJob(cluster: JobCluster, job: Job): Promise<Job> {
  const created = await cluster.client.create(jobs, job);
  await cluster.settle(50);
  return created;
}

async function createList(cluster: JobCluster, objects: readonly ListObject[]): Promise<void> {
  for (const object of objects) {
    if (object.kind === "Secret") await cluster.client.create(secrets, object);
    else await cluster.client.create(configMaps, object);
  }
  await cluster.settle();
}

async function start(cluster: JobCluster, request: Partial<RunRequest> = {}): Promise<Job> {
  const { job, support } = composeRun({ ...REQUEST, ...request });
  const created = await createJob(cluster, job);
  await createList(cluster, support());
  return created;
}

async function podOf(cluster: JobCluster, index: number): Promise<Pod | undefined> {
  return (await cluster.list()).find((pod) => indexOf(pod) === index);
}

async function containerOf(cluster: JobCluster, index: number) {
  const [container] = (await podOf(cluster, index))?.spec.containers ?? [];
  const env = (container?.env ?? []).filter(({ name }) => name !== "JOB_COMPLETION_INDEX");
  return { command: container?.command, args: container?.args, env };
}

test("a pod has the values of its item as variables, and arguments refer to them", async () => {
  const cluster = await aJobCluster();
  await start(cluster);
  expect(await cluster.running()).toEqual([0, 1]);
  expect(await containerOf(cluster, 1)).toEqual({
    command: ["echo", "a $(COLOR) $(FRUIT)"],
    args: undefined,
    env: [
      { name: "FRUIT", value: "banana" },
      { name: "COLOR", value: "yellow" },
    ],
  });
  const { annotations } = (await podOf(cluster, 1))?.metadata ?? {};
  expect(annotations?.["tallyjob.io/item"]).toBe("FRUIT=banana COLOR=yellow");
});

test("pods are not created before the list exists, and then all run", async () => {
  const cluster = await aJobCluster();
  const { job, support } = composeRun(REQUEST);
  await createJob(cluster, job);
  expect(await cluster.running()).toEqual([]);
  await createList(cluster, support());
  expect(await cluster.running()).toEqual([0, 1]);
  for (const index of [0, 1, 2]) await cluster.end("Succeeded", index);
  expect(await cluster.conditions()).toContain("Complete/CompletionsReached");
  expect(await cluster.warnings()).toEqual([]);
});

test("a missing list is reported once, and may be created much later", async () => {
  const cluster = await aJobCluster();
  const { job, support } = composeRun(REQUEST);
  await createJob(cluster, job);
  await cluster.settle(20_000);
  const missing = 'tallyjob.io/work-list configmap "j-list-x7k2p" not found';
  expect(await cluster.warnings()).toEqual([
    `WorkListUnavailable: ${missing}; pods are created when it is there`,
  ]);
  expect((await cluster.job()).status.active).toBeFalsy();
  await createList(cluster, support());
  await cluster.settle(5_000);
  expect(await cluster.running()).toEqual([0, 1]);
});

test("a list that the controller may not read is reported", async () => {
  const { job } = composeRun({ ...REQUEST, paramsIn: "secret" });
  const client = {
    get: async () => {
      throw new ApiError(403, "Forbidden", "secrets is forbidden");
    },
  } as unknown as Client;
  const pods = [{ index: 0 }];
  const decision = {
    podChanges: { kind: "create", pods, hasMore: false },
  } as unknown as JobDecision;
  const memory = {};
  const complaints: string[] = [];
  for (let look = 0; look < 10; look++) {
    const { complaint } = await dressPods(client, job, memory, decision);
    if (complaint !== undefined) complaints.push(complaint);
  }
  expect(complaints).toEqual([expect.stringContaining("may not be read: secrets is forbidden")]);
});

test("a missing list is looked up less and less often, however many pods wait", async () => {
  let looks = 0;
  const cluster = await aJobCluster({ podsPerSync: 1 }, (client) => ({
    get: (type, name) => {
      if (type.kind === "ConfigMap") looks++;
      return client.get(type, name);
    },
  }));
  await createJob(cluster, composeRun({ ...REQUEST, parallelism: 3 }).job);
  await cluster.settle(60_000);
  expect(looks).toBeGreaterThan(10);
  expect(looks).toBeLessThan(30);
});

const HAND_WRITTEN: ConfigMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "j-list-x7k2p", namespace: "default" },
  immutable: true,
  data: { list: '{"parameters":["FILE"]}', items: '"a.txt"\n"b.txt"\n"c.txt"\n' },
};

test.each<[string, Partial<ConfigMap>, string]>([
  ["is not immutable", { immutable: false }, "must be immutable"],
  ["has no data", { data: {} }, 'has no key "list"'],
  ["is not JSON", { data: { list: "[" } }, 'has no JSON object in "list"'],
  ["names no parameters", { data: { list: "{}" } }, 'must name its "parameters", as in ["FILE"]'],
  [
    "is too short",
    { data: { list: '{"parameters":["FILE"]}', items: '"a"' } },
    "has 1 items, and the Job has 3",
  ],
  [
    "belongs to another Job",
    {
      metadata: {
        ...HAND_WRITTEN.metadata,
        ownerReferences: [
          { apiVersion: "batch/v1", kind: "Job", name: "j", uid: "former", controller: true },
        ],
      },
    },
    "belongs to another Job",
  ],
])("no pod is created from a list that %s", async (_, fields, problem) => {
  const cluster = await aJobCluster();
  await createJob(cluster, composeRun(REQUEST).job);
  await createList(cluster, [{ ...HAND_WRITTEN, ...fields } as ConfigMap]);
  await cluster.settle(3_000);
  expect(await cluster.running()).toEqual([]);
  expect(await cluster.warnings()).toEqual([
    `WorkListUnavailable: tallyjob.io/work-list configmap "j-list-x7k2p" ${problem}; ` +
      "pods are created when it is there",
  ]);
});

test("a list written by hand only needs its parameters and lines", async () => {
  const cluster = await aJobCluster();
  await createJob(cluster, composeRun(REQUEST).job);
  await createList(cluster, [HAND_WRITTEN]);
  expect((await containerOf(cluster, 1)).env).toEqual([{ name: "FILE", value: "b.txt" }]);
});

test("an invalid line blocks only its own pod", async () => {
  const cluster = await aJobCluster();
  await createJob(cluster, composeRun({ ...REQUEST, parallelism: 3 }).job);
  const data = { list: '{"parameters":["FILE"]}', items: '"a"\n{}\n"c"' };
  await createList(cluster, [{ ...HAND_WRITTEN, data }]);
  await cluster.settle(3_000);
  expect(await cluster.running()).toEqual([0, 2]);
  const [warning] = await cluster.warnings();
  expect(warning).toContain("has no item for index 1");
});

test("a long list is split into several objects, and a pod needs only its own", async () => {
  const cluster = await aJobCluster();
  const long = "x".repeat(100_000);
  const column = Array.from({ length: 12 }, (_, index) => `${long}${index}`);
  const list = { parameters: ["ITEM"], columns: [column] };
  const { job, support } = composeRun({ ...REQUEST, list, parallelism: 12 });
  await createJob(cluster, job);
  const objects = support();
  expect(objects.map((each) => each.metadata.name)).toEqual([
    "j-list-x7k2p",
    "j-list-x7k2p-1",
    "j-list-x7k2p-2",
  ]);
  for (const { data = {} } of objects) {
    expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThan(MAX_CHUNK_BYTES * 1.2);
  }
  const [first, second, third] = objects;
  if (!first || !second || !third) throw new Error("three objects");
  await createList(cluster, [first, third]);
  expect(await cluster.running()).toEqual([0, 1, 2, 3, 8, 9, 10, 11]);
  await createList(cluster, [second]);
  expect(await cluster.running()).toEqual(Array.from({ length: 12 }, (_, index) => index));
  const [{ value } = {}] = (await containerOf(cluster, 7)).env;
  expect(value).toBe(`${long}7`);
});

test("values in a Secret are referenced and never copied into the pod", async () => {
  const cluster = await aJobCluster();
  await start(cluster, { paramsIn: "secret" });
  expect((await containerOf(cluster, 1)).env).toEqual([
    {
      name: "FRUIT",
      valueFrom: { secretKeyRef: { name: "j-list-x7k2p", key: "FRUIT.1" } },
    },
    {
      name: "COLOR",
      valueFrom: { secretKeyRef: { name: "j-list-x7k2p", key: "COLOR.1" } },
    },
  ]);
  expect(JSON.stringify(await podOf(cluster, 1))).not.toContain("banana");
});

test("values passed as arguments are appended; empty ones are dropped", async () => {
  const cluster = await aJobCluster();
  const list = {
    parameters: ["FRUIT_COLOR", "ARG_1", "ARG_2"],
    columns: [
      ["green", "yellow", "red"],
      ["apple.txt", "banana.txt", "$(cherry).txt"],
      ["--remove-seeds", "", "--remove-pit"],
    ],
  };
  const command = ["process-fruit", "-a", "-b"];
  const appended = ["ARG_1", "ARG_2"];
  await start(cluster, { list, command, appended, parallelism: 3 });
  expect((await containerOf(cluster, 0)).args).toEqual(["apple.txt", "--remove-seeds"]);
  expect((await containerOf(cluster, 1)).args).toEqual(["banana.txt"]);
  expect((await containerOf(cluster, 2)).args).toEqual(["$$(cherry).txt", "--remove-pit"]);
});

test.each([
  ["main: [FILE]", 'must be like {"main": ["FILE"]}'],
  ['{"main": "FRUIT"}', 'must be like {"main": ["FILE"]}'],
  ['{"other": ["FRUIT"]}', 'names "other"'],
  ['{"main": ["SIZE"]}', 'names "SIZE"'],
])("per-completion arguments of the form %s are rejected", async (text, problem) => {
  const cluster = await aJobCluster();
  await start(cluster, { annotations: { "tallyjob.io/per-completion-args": text } });
  await cluster.settle(3_000);
  expect(await cluster.running()).toEqual([]);
  expect(await cluster.warnings()).toEqual([
    "WorkListUnavailable: tallyjob.io/work-list cannot be used: " +
      `tallyjob.io/per-completion-args ${problem}; pods are created when it is there`,
  ]);
});

test("a batch becomes one argument per value", async () => {
  const cluster = await aJobCluster();
  const list = {
    parameters: ["ITEM", "ITEM_FIRST"],
    columns: [
      ["a\nb\nc d", "e"],
      ["a", "e"],
    ],
    derived: ["ITEM_FIRST"],
    isBatched: true as const,
  };
  await start(cluster, { list, command: ["cat", "$ITEM", "--from={ITEM_FIRST}"] });
  const { command } = await containerOf(cluster, 0);
  expect(command).toEqual(["cat", "a", "b", "c d", "--from=$(ITEM_FIRST)"]);
  expect((await containerOf(cluster, 1)).command).toEqual(["cat", "e", "--from=$(ITEM_FIRST)"]);
});

test("a retry gets the same item", async () => {
  const cluster = await aJobCluster();
  await start(cluster, { failure: { retries: 1 } });
  await cluster.end("Failed", 0);
  await cluster.settle(2_000);
  expect(await cluster.running()).toEqual([0, 1]);
  const values = (await cluster.list())
    .filter((pod) => indexOf(pod) === 0)
    .map(({ spec }) => spec.containers?.[0]?.env?.[0]?.value);
  expect(values).toEqual(["apple", "apple"]);
});

test("a restarted controller reads the list again", async () => {
  const cluster = await aJobCluster();
  await start(cluster);
  await cluster.end("Succeeded", 0);
  await cluster.restart();
  await cluster.end("Succeeded", 1);
  expect((await containerOf(cluster, 2)).env[0]?.value).toBe("cherry");
});

test("with halt=soon no pod starts after a failure, and running pods may finish", async () => {
  const cluster = await aJobCluster();
  await start(cluster, { failure: { retries: 0, halt: "soon" } });
  await cluster.end("Failed", 0);
  expect(await cluster.running()).toEqual([1]);
  expect(await cluster.conditions()).toEqual([]);
  await cluster.end("Succeeded", 1);
  expect(await cluster.conditions()).toContain("Failed/MaxFailedIndexesExceeded");
  expect((await cluster.job()).status).toMatchObject({ completedIndexes: "1", failedIndexes: "0" });
});

test("with halt=now running pods are stopped at the first failure", async () => {
  const cluster = await aJobCluster();
  await start(cluster, { failure: { retries: 0, halt: "now" } });
  await cluster.end("Failed", 0);
  expect(await cluster.conditions()).toContain("FailureTarget/MaxFailedIndexesExceeded");
  const running = await podOf(cluster, 1);
  expect(running === undefined || running.metadata.deletionTimestamp !== undefined).toBe(true);
});
