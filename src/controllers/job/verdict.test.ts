import { expect, test } from "vitest";
import { aJob, INDEXED } from "../../../test/builders/job.ts";
import { aJobPod, type JobPodFields } from "../../../test/builders/job-pods.ts";
import type { Job, JobStatus } from "../../api/generated/batch.ts";
import type { Json } from "../../api/object.ts";
import { openScoreboard } from "./scoreboard.ts";
import { tallyPods } from "./tally.ts";
import { completionsReached, decideEnd } from "./verdict.ts";

type Spec = { [field: string]: Json };

const START = "2026-01-01T00:00:00Z";
const startMs = Date.parse(START);

interface Case {
  readonly spec?: Spec;
  readonly status?: JobStatus;
  readonly pods?: readonly JobPodFields[];
  readonly afterMs?: number;
}

function reasonOf({ spec = {}, status = {}, pods = [], afterMs = 0 }: Case): string | undefined {
  const job: Job = { ...aJob(spec), status };
  const known = pods.map((fields) => aJobPod(job, fields));
  const board = openScoreboard(job, known);
  const tally = tallyPods(job, board);
  const started = job.spec.suspend ? {} : { startTime: START };
  const verdict = decideEnd({ job, board, tally, nowMs: startMs + afterMs, ...started });
  return verdict && `${verdict.type}/${verdict.reason}`;
}

const SUCCESS = { type: "SuccessCriteriaMet", status: "True", reason: "SuccessPolicy" };
const FAILURE = { type: "FailureTarget", status: "True", reason: "DeadlineExceeded" };
const PER_INDEX = { ...INDEXED, completions: 3, backoffLimitPerIndex: 0 };
const FAIL_JOB = {
  rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [3] } }],
};
const failed = { phase: "Failed", exitCode: 1 };
const restarted = (restartCount: number): JobPodFields => ({
  phase: "Running",
  status: { phase: "Running", containerStatuses: [{ ...container, restartCount }] },
});
const container = {
  name: "c",
  state: {},
  lastState: {},
  ready: true,
  restartCount: 0,
  image: "",
  imageID: "",
};
const ON_FAILURE = {
  template: { spec: { restartPolicy: "OnFailure", containers: [{ name: "c", image: "i" }] } },
};

test.each<[string, Case, string | undefined]>([
  ["nothing happened", {}, undefined],
  [
    "its success was already announced",
    { status: { conditions: [SUCCESS], failed: 9 } },
    "SuccessCriteriaMet/SuccessPolicy",
  ],
  [
    "its failure was already announced",
    { status: { conditions: [FAILURE] } },
    "FailureTarget/DeadlineExceeded",
  ],
  [
    "the backoffLimit is reached but not exceeded",
    { spec: { backoffLimit: 1 }, pods: [failed] },
    undefined,
  ],
  [
    "one more pod failed than the backoffLimit",
    { spec: { backoffLimit: 1 }, pods: [failed, failed] },
    "FailureTarget/BackoffLimitExceeded",
  ],
  [
    "failures of earlier syncs exceed the limit",
    { spec: { backoffLimit: 2 }, status: { failed: 2 }, pods: [failed] },
    "FailureTarget/BackoffLimitExceeded",
  ],
  [
    "a failed pod is also listed as uncounted",
    {
      spec: { backoffLimit: 1 },
      status: { uncountedTerminatedPods: { failed: ["a"] } },
      pods: [{ ...failed, uid: "a" }],
    },
    undefined,
  ],
  [
    "another pod is listed as uncounted",
    {
      spec: { backoffLimit: 1 },
      status: { uncountedTerminatedPods: { failed: ["b"] } },
      pods: [{ ...failed, uid: "a" }],
    },
    "FailureTarget/BackoffLimitExceeded",
  ],
  [
    "restarts reach the limit",
    { spec: { ...ON_FAILURE, backoffLimit: 2 }, pods: [restarted(1), restarted(1)] },
    "FailureTarget/BackoffLimitExceeded",
  ],
  [
    "restarts do not reach it",
    { spec: { ...ON_FAILURE, backoffLimit: 2 }, pods: [restarted(1)] },
    undefined,
  ],
  [
    "no restart is allowed and none happened",
    { spec: { ...ON_FAILURE, backoffLimit: 0 }, pods: [restarted(0)] },
    undefined,
  ],
  [
    "pods with restartPolicy Never show restarts",
    { spec: { backoffLimit: 2 }, pods: [restarted(5)] },
    undefined,
  ],
  [
    "the failure policy and the backoffLimit both fail it",
    {
      spec: { backoffLimit: 0, podFailurePolicy: FAIL_JOB },
      pods: [{ phase: "Failed", exitCode: 3 }],
    },
    "FailureTarget/PodFailurePolicy",
  ],
  [
    "the failure policy matches a pod that is already released",
    {
      spec: { podFailurePolicy: FAIL_JOB },
      pods: [{ phase: "Failed", exitCode: 3, isTracked: false }],
    },
    "FailureTarget/PodFailurePolicy",
  ],
  [
    "the deadline is now",
    { spec: { activeDeadlineSeconds: 5 }, afterMs: 5000 },
    "FailureTarget/DeadlineExceeded",
  ],
  ["the deadline is near", { spec: { activeDeadlineSeconds: 5 }, afterMs: 4999 }, undefined],
  [
    "the deadline is paused by suspension",
    { spec: { activeDeadlineSeconds: 5, suspend: true }, afterMs: 9000 },
    undefined,
  ],
  ["the deadline is 0", { spec: { activeDeadlineSeconds: 0 } }, "FailureTarget/DeadlineExceeded"],
  ["an index failed", { spec: PER_INDEX, pods: [{ ...failed, index: 1 }] }, undefined],
  [
    "too many indexes failed",
    { spec: { ...PER_INDEX, maxFailedIndexes: 0 }, pods: [{ ...failed, index: 1 }] },
    "FailureTarget/MaxFailedIndexesExceeded",
  ],
  [
    "every index has ended and one failed",
    { spec: PER_INDEX, status: { completedIndexes: "0,2" }, pods: [{ ...failed, index: 1 }] },
    "FailureTarget/FailedIndexes",
  ],
  [
    "the success policy is met",
    {
      spec: { ...INDEXED, successPolicy: { rules: [{ succeededCount: 1 }] } },
      pods: [{ phase: "Succeeded", index: 4 }],
    },
    "SuccessCriteriaMet/SuccessPolicy",
  ],
  [
    "it has both failed and succeeded",
    {
      spec: { ...INDEXED, backoffLimit: 0, successPolicy: { rules: [{ succeededCount: 1 }] } },
      pods: [
        { phase: "Succeeded", index: 4 },
        { ...failed, index: 1 },
      ],
    },
    "FailureTarget/BackoffLimitExceeded",
  ],
])("the end of a Job when %s", (_case, facts, reason) => {
  expect(reasonOf(facts)).toBe(reason);
});

test.each([
  ["all completions", { completions: 3 }, { active: 0, succeeded: 3 }, true],
  ["more than all", { completions: 3 }, { active: 0, succeeded: 4 }, true],
  ["all, while a pod runs", { completions: 3 }, { active: 1, succeeded: 3 }, false],
  ["too few", { completions: 3 }, { active: 0, succeeded: 2 }, false],
  ["none of none", { completions: 0, parallelism: 1 }, { active: 0, succeeded: 0 }, true],
  ["one worker of a queue", { parallelism: 3 }, { active: 0, succeeded: 1 }, true],
  ["one worker, while others run", { parallelism: 3 }, { active: 2, succeeded: 1 }, false],
])("%s: complete", (_case, spec, counts, isReached) => {
  expect(completionsReached(aJob(spec), counts) !== undefined).toBe(isReached);
});
