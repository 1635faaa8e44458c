import { expect, test } from "vitest";
import { aJob, INDEXED } from "../../../test/builders/job.ts";
import { aJobPod, type JobPodFields } from "../../../test/builders/job-pods.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Json } from "../../api/object.ts";
import { decidePodChanges, type PodChanges } from "./pod-changes.ts";
import { compareForRemoval } from "./removal-order.ts";
import { openScoreboard, settleBoard } from "./scoreboard.ts";
import { tallyPods } from "./tally.ts";

const NOW = "2026-01-01T00:01:00Z";

function decide(
  spec: { [field: string]: Json },
  pods: readonly JobPodFields[],
  status: Job["status"] = {},
): PodChanges {
  const job: Job = { ...aJob(spec), status };
  const board = openScoreboard(
    job,
    pods.map((fields) => aJobPod(job, fields)),
  );
  settleBoard(board);
  const backoff = { firstMs: 10_000, maxMs: 600_000 };
  const tally = tallyPods(job, board);
  return decidePodChanges({ job, board, tally, nowMs: Date.parse(NOW), backoff });
}

/** "create 0,2", "remove a,b", "wait 5", "keep". */
function shown(changes: PodChanges): string {
  switch (changes.kind) {
    case "create":
      return `create ${changes.pods.map(({ index }) => index ?? "one").join()}`;
    case "remove":
      return `remove ${changes.pods.map(({ uid }) => uid).join()}`;
    case "wait":
      return `wait ${changes.delayMs / 1000}`;
    default:
      return changes.kind;
  }
}

const running = { phase: "Running" };
const done = { phase: "Succeeded" };
const justFailed = { phase: "Failed", exitCode: 1, finishedAt: "2026-01-01T00:00:55Z" };
const longFailed = { phase: "Failed", exitCode: 1, finishedAt: "2026-01-01T00:00:00Z" };
const PER_INDEX = { ...INDEXED, backoffLimitPerIndex: 3 };
const leaving = { phase: "Running", isDeleting: true };
const FAILED_ONLY = { podReplacementPolicy: "Failed" };
const deleted = "2026-01-01T00:00:10Z";
const gone = { ...leaving, metadata: { deletionTimestamp: deleted } };

test.each<[string, { [field: string]: Json }, readonly JobPodFields[], string]>([
  ["the lowest indexes first", INDEXED, [], "create 0,1,2"],
  [
    "gaps before the end",
    INDEXED,
    [
      { ...done, index: 0 },
      { ...running, index: 2 },
    ],
    "create 1,3",
  ],
  ["no more than are left", { ...INDEXED, completions: 2 }, [{ ...running, index: 0 }], "create 1"],
  ["as many as parallelism", { completions: 5, parallelism: 2 }, [], "create one,one"],
  ["no more than completions require", { completions: 2, parallelism: 5 }, [running, done], "keep"],
  ["all workers of a queue", { parallelism: 3 }, [running], "create one,one"],
  ["no worker after a success", { parallelism: 3 }, [running, done], "keep"],
  ["none with parallelism 0", { parallelism: 0, completions: 2 }, [], "keep"],
  [
    "surplus pods",
    { ...INDEXED, parallelism: 1 },
    [
      { ...running, index: 0 },
      { index: 1, uid: "b" },
    ],
    "remove b",
  ],
  ["a pod without an index", INDEXED, [{ ...running, index: 0 }, { uid: "b" }], "remove b"],
  ["a pod with an index out of range", INDEXED, [{ ...running, index: 5, uid: "b" }], "remove b"],
  [
    "all but the best of one index",
    INDEXED,
    [
      { index: 1, uid: "b" },
      { ...running, index: 1 },
      { index: 1, uid: "c" },
    ],
    "remove b,c",
  ],
  [
    "everything while suspended",
    { ...INDEXED, suspend: true },
    [
      { index: 0, uid: "a" },
      { index: 9, uid: "b" },
    ],
    "remove a,b",
  ],
  ["nothing just after a failure", INDEXED, [{ ...justFailed, index: 1 }], "wait 5"],
  ["missing pods when the wait is over", INDEXED, [{ ...longFailed, index: 1 }], "create 0,1,2"],
  [
    "the replacement of a terminating pod",
    { ...INDEXED, parallelism: 2 },
    [
      { ...gone, index: 0 },
      { ...running, index: 1 },
    ],
    "create 0",
  ],
  [
    "no replacement before it has ended, with podReplacementPolicy Failed",
    { ...INDEXED, ...FAILED_ONLY, parallelism: 2 },
    [
      { ...gone, index: 0 },
      { ...running, index: 1 },
    ],
    "keep",
  ],
  [
    "other indexes meanwhile",
    { ...INDEXED, ...FAILED_ONLY },
    [{ ...gone, index: 0 }],
    "create 1,2",
  ],
  ["other indexes while one waits", PER_INDEX, [{ ...justFailed, index: 1 }], "create 0,2"],
  [
    "no higher index in place of one that waits",
    { ...PER_INDEX, parallelism: 1 },
    [{ ...justFailed, index: 0 }],
    "wait 5",
  ],
  [
    "no permanently failed index",
    { ...PER_INDEX, backoffLimitPerIndex: 0 },
    [{ ...longFailed, index: 0 }],
    "create 1,2,3",
  ],
])("creates or removes %s", (_case, spec, pods, expected) => {
  expect(shown(decide(spec, pods))).toBe(expected);
});

test("a replacement records the failures of its index, ignored ones separately", () => {
  const ignored = {
    rules: [{ action: "Ignore", onExitCodes: { operator: "In", values: [9] } }],
  };
  const pods = [
    { ...longFailed, index: 0, failures: { counted: 1, ignored: 2 } },
    { ...longFailed, index: 1, exitCode: 9, failures: { counted: 1, ignored: 0 } },
  ];
  const spec = { ...PER_INDEX, podFailurePolicy: ignored };
  const early = "2025-12-31T23:00:00Z";
  const changes = decide(
    spec,
    pods.map((pod) => ({ ...pod, finishedAt: early })),
  );
  expect(changes).toMatchObject({
    kind: "create",
    pods: [
      { index: 0, failures: { counted: 2, ignored: 2 } },
      { index: 1, failures: { counted: 1, ignored: 1 } },
      { index: 2, failures: { counted: 0, ignored: 0 } },
    ],
  });
});

test("at most 500 pods are created or removed per sync", () => {
  const large = { ...INDEXED, completions: 2000, parallelism: 2000 };
  const created = decide(large, []);
  expect(created).toMatchObject({ kind: "create", hasMore: true });
  expect("pods" in created && created.pods.length).toBe(500);
  const many = Array.from({ length: 700 }, (_, index) => ({ index }));
  const removed = decide({ ...large, parallelism: 100 }, many);
  expect(removed).toMatchObject({ kind: "remove", hasMore: true });
  expect("pods" in removed && removed.pods.length).toBe(500);
});

const job = aJob();
const ready = (lastTransitionTime: string) => ({
  phase: "Running",
  conditions: [{ type: "Ready", status: "True", lastTransitionTime }],
});
const container = { name: "c", state: {}, lastState: {}, ready: true, image: "", imageID: "" };
const restarts = (restartCount: number) => ({
  phase: "Running",
  containerStatuses: [{ ...container, restartCount }],
});
const onNode = (fields: JobPodFields) => ({
  ...aJobPod(job, fields),
  spec: { containers: [], nodeName: "n" },
});

test.each([
  ["without a node", aJobPod(job, running), onNode({})],
  ["pending", onNode({}), onNode({ phase: "Unknown" })],
  ["unknown", onNode({ phase: "Unknown" }), onNode(running)],
  ["not ready", onNode(running), onNode({ ...running, isReady: true })],
  ["ready more recently", onNode({ status: ready(NOW) }), onNode({ status: ready(deleted) })],
  ["restarted more often", onNode({ status: restarts(3) }), onNode({ status: restarts(1) })],
  ["newer", onNode({ metadata: { creationTimestamp: NOW } }), onNode({})],
  ["with the higher index", onNode({ index: 10 }), onNode({ index: 9 })],
])("the pod that is %s is removed first", (_case, first, second) => {
  expect(compareForRemoval(first, second)).toBeLessThan(0);
  expect(compareForRemoval(second, first)).toBeGreaterThan(0);
});

test("an index that waits after a failure blocks its slot, unless others may overtake it", () => {
  const overtaking = { "tallyjob.io/backoff-order": "overtake" };
  const decideFor = (annotations: { [name: string]: string }) => {
    const job = aJob({ ...PER_INDEX, parallelism: 2 });
    const given: Job = { ...job, metadata: { ...job.metadata, annotations } };
    const failed = { uid: "a", index: 0, ...justFailed };
    const board = openScoreboard(given, [aJobPod(given, failed)]);
    settleBoard(board);
    const backoff = { firstMs: 10_000, maxMs: 600_000 };
    const tally = tallyPods(given, board);
    return decidePodChanges({ job: given, board, tally, nowMs: Date.parse(NOW), backoff });
  };
  expect(decideFor({})).toMatchObject({ kind: "create", pods: [{ index: 1 }] });
  expect(decideFor({})).not.toHaveProperty("delayMs");
  expect(decideFor(overtaking)).toMatchObject({
    kind: "create",
    pods: [{ index: 1 }, { index: 2 }],
    delayMs: 5_000,
  });
});

test("with surplus-pods finish, only unscheduled pods are removed", () => {
  const job = aJob({ ...INDEXED, parallelism: 0 });
  const annotations = { "tallyjob.io/surplus-pods": "finish" };
  const patient: Job = { ...job, metadata: { ...job.metadata, annotations } };
  const pods = [
    aJobPod(patient, { uid: "begun", index: 0, ...running }),
    aJobPod(patient, { uid: "waiting", index: 1, phase: "Pending" }),
  ].map((pod) => (pod.metadata.uid === "begun" ? on(pod, "node") : on(pod, undefined)));
  const remove = (of: Job) => {
    const board = openScoreboard(of, pods);
    settleBoard(board);
    const backoff = { firstMs: 10_000, maxMs: 600_000 };
    return shown(
      decidePodChanges({ job: of, board, tally: tallyPods(of, board), nowMs: 0, backoff }),
    );
  };
  expect(remove(patient)).toBe("remove waiting");
  expect(remove(job)).toBe("remove waiting,begun");
});

function on(pod: ReturnType<typeof aJobPod>, nodeName: string | undefined) {
  const { nodeName: _, ...spec } = pod.spec;
  return { ...pod, spec: { ...spec, ...(nodeName === undefined ? {} : { nodeName }) } };
}
