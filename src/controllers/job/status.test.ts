import { expect, test } from "vitest";
import { aJob, INDEXED } from "../../../test/builders/job.ts";
import { aJobPod, type JobPodFields } from "../../../test/builders/job-pods.ts";
import type { Job, JobStatus } from "../../api/generated/batch.ts";
import type { Json } from "../../api/object.ts";
import { decideJob } from "./decide.ts";
import { openScoreboard, settleBoard } from "./scoreboard.ts";
import { composeStatus, type PodsChanged, settleStatus } from "./status.ts";

const NOW = "2026-01-01T00:01:00Z";
const nowMs = Date.parse(NOW);
const NOTHING: PodsChanged = { created: 0, removed: 0, removedReady: 0, errors: [] };
const STARTED = { startTime: "2026-01-01T00:00:00Z", ready: 0, terminating: 0 };

function compose(
  spec: { [field: string]: Json },
  pods: readonly JobPodFields[],
  { status = STARTED, changed = NOTHING }: { status?: JobStatus; changed?: PodsChanged } = {},
) {
  const job: Job = { ...aJob(spec), status };
  const board = openScoreboard(
    job,
    pods.map((fields) => aJobPod(job, fields)),
  );
  settleBoard(board);
  const observation = { job, board, nowMs, backoff: { firstMs: 10_000, maxMs: 600_000 } };
  return composeStatus(observation, decideJob(observation), changed);
}

function condition(type: string, reason: string, message: string, status = "True") {
  return { type, status, reason, message, lastProbeTime: NOW, lastTransitionTime: NOW };
}

const COMPLETED = ["CompletionsReached", "Reached expected number of succeeded pods"] as const;
const LIMIT = ["BackoffLimitExceeded", "Job has reached the specified backoff limit"] as const;

test("a succeeded pod is listed by UID before its release and counted after it", () => {
  const composed = compose({}, [{ uid: "a", phase: "Succeeded" }]);
  const met = condition("SuccessCriteriaMet", ...COMPLETED);
  expect(composed.status).toEqual({
    ...STARTED,
    conditions: [met],
    uncountedTerminatedPods: { succeeded: ["a"] },
  });
  const settled = settleStatus(composed, new Set(["a"]), nowMs);
  expect(settled.status).toEqual({
    ...STARTED,
    conditions: [met, condition("Complete", ...COMPLETED)],
    completionTime: NOW,
    succeeded: 1,
    uncountedTerminatedPods: {},
  });
  expect(settled.finished?.reason).toBe("CompletionsReached");
});

test("a Job does not finish while a pod could not be released", () => {
  const composed = compose({}, [{ uid: "a", phase: "Succeeded" }]);
  const { status, finished } = settleStatus(composed, new Set(), nowMs);
  expect(status).toEqual(composed.status);
  expect(finished).toBe(undefined);
});

test("a success of an Indexed Job is recorded by its index", () => {
  const { status } = compose(INDEXED, [
    { uid: "a", phase: "Succeeded", index: 4 },
    { uid: "b", phase: "Running", isReady: true, index: 0 },
  ]);
  expect(status).toEqual({
    ...STARTED,
    active: 1,
    ready: 1,
    succeeded: 1,
    completedIndexes: "4",
    uncountedTerminatedPods: {},
  });
});

test("failedIndexes is set from the first status on if each index has its own limit", () => {
  expect(compose({ ...INDEXED, backoffLimitPerIndex: 1 }, []).status.failedIndexes).toBe("");
  expect(compose(INDEXED, []).status.failedIndexes).toBe(undefined);
});

test("when a Job fails, running pods count as failed and the Job waits until they are gone", () => {
  const changed = { ...NOTHING, removed: 1, removedReady: 1 };
  const pods = [
    { uid: "a", phase: "Failed", exitCode: 1 },
    { uid: "b", phase: "Running", isReady: true },
  ];
  const composed = compose({ completions: 3, parallelism: 3, backoffLimit: 0 }, pods, { changed });
  expect(composed.status).toEqual({
    ...STARTED,
    terminating: 1,
    conditions: [condition("FailureTarget", ...LIMIT)],
    uncountedTerminatedPods: { failed: ["a", "b"] },
  });
  const settled = settleStatus(composed, new Set(["a", "b"]), nowMs);
  expect(settled.status).toMatchObject({ failed: 2, terminating: 1 });
  expect(settled.finished).toBe(undefined);
});

test("a Job does not end while a pod could not be stopped", () => {
  const changed = { ...NOTHING, errors: [new Error("refused")] };
  const pods = [{ uid: "a", phase: "Failed", exitCode: 1 }, { phase: "Running" }];
  const spec = { completions: 3, parallelism: 3, backoffLimit: 0 };
  const { verdict, status } = compose(spec, pods, { changed });
  expect(verdict).toBe(undefined);
  expect(status.uncountedTerminatedPods).toEqual({ failed: ["a"] });
});

test("when a Job fails, running pods that the policy ignores do not count as failed", () => {
  const disrupted = { type: "DisruptionTarget", status: "True" };
  const rules = [{ action: "Ignore", onPodConditions: [disrupted] }];
  const spec = { parallelism: 3, completions: 3, backoffLimit: 0, podFailurePolicy: { rules } };
  const running = { phase: "Running", conditions: [disrupted] };
  const composed = compose(spec, [
    { uid: "a", phase: "Failed", exitCode: 1 },
    { uid: "b", isDeleting: true, status: running },
    { uid: "c", phase: "Running" },
  ]);
  expect(composed.status.uncountedTerminatedPods).toEqual({ failed: ["a", "c"] });
  expect(composed.releases.pods).toHaveLength(3);
  expect(composed.releases.actions).toEqual(["Ignore"]);
});

test.each([
  ["that had to run something starts when it ends", 1, NOW],
  ["with nothing to run needs no start", 0, undefined],
])("a suspended Job %s", (_case, completions, startTime) => {
  const status = { conditions: [condition("Suspended", "JobSuspended", "Job suspended")] };
  const composed = compose({ suspend: true, completions }, [{ phase: "Succeeded" }], { status });
  expect(composed.verdict?.reason).toBe("CompletionsReached");
  expect(composed.status.startTime).toBe(startTime);
});

test("pods deleted because the Job succeeded are not counted", () => {
  const spec = { ...INDEXED, successPolicy: { rules: [{ succeededCount: 1 }] } };
  const pods = [
    { uid: "a", phase: "Succeeded", index: 0 },
    { uid: "b", phase: "Running", index: 1 },
  ];
  const composed = compose(spec, pods, { changed: { ...NOTHING, removed: 1 } });
  expect(composed.status.uncountedTerminatedPods).toEqual({});
  expect(composed.releases.pods.map(({ uid }) => uid)).toEqual(["a", "b"]);
});

test("a pod listed as uncounted that is gone is counted", () => {
  const status = { ...STARTED, failed: 2, uncountedTerminatedPods: { failed: ["gone", "here"] } };
  const pods = [{ uid: "here", phase: "Failed", exitCode: 1 }];
  const composed = compose({ completions: 2, parallelism: 2 }, pods, { status });
  expect(composed.status).toMatchObject({
    failed: 3,
    uncountedTerminatedPods: { failed: ["here"] },
  });
});

test("a status lists at most 500 pods, and the Job cannot end while more are waiting", () => {
  const pods = Array.from({ length: 501 }, (_, at) => ({ uid: `u${at}`, phase: "Succeeded" }));
  const composed = compose({ completions: 501, parallelism: 501 }, pods);
  expect(composed.status.uncountedTerminatedPods?.succeeded).toHaveLength(500);
  const released = new Set(composed.releases.pods.map(({ uid }) => uid));
  const settled = settleStatus(composed, released, nowMs);
  expect(settled.finished).toBe(undefined);
  expect(settled.status.succeeded).toBe(500);
});

const SUSPENDED = condition("Suspended", "JobSuspended", "Job suspended");
const RESUMED = condition("Suspended", "JobResumed", "Job resumed", "False");

test.each<[string, boolean, JobStatus, JobStatus, string | undefined]>([
  ["suspended", true, STARTED, { conditions: [SUSPENDED] }, "Suspended"],
  ["suspended already", true, { conditions: [SUSPENDED] }, { conditions: [SUSPENDED] }, undefined],
  [
    "resumed",
    false,
    { conditions: [SUSPENDED] },
    { conditions: [RESUMED], startTime: NOW },
    "Resumed",
  ],
  ["never suspended", false, STARTED, { startTime: STARTED.startTime }, undefined],
])("a Job that is %s", (_case, suspend, status, expected, event) => {
  const composed = compose({ suspend }, [{ phase: "Running" }], { status });
  const { conditions, startTime } = composed.status;
  expect({ ...(conditions ? { conditions } : {}), ...(startTime ? { startTime } : {}) }).toEqual(
    expected,
  );
  expect(composed.suspension).toBe(event);
});
