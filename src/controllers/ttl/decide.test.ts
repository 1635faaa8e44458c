import { expect, test } from "vitest";
import { jobBody } from "../../../test/builders/resources.ts";
import type { Job, JobCondition } from "../../api/generated/batch.ts";
import { decideTtl } from "./decide.ts";

const FINISHED = "2026-01-01T00:00:00Z";
const finishedAtMs = Date.parse(FINISHED);

function aJob(ttlSecondsAfterFinished: number | undefined, ...conditions: JobCondition[]): Job {
  const spec = ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished };
  return { ...jobBody({ name: "j" }, spec), status: { conditions } };
}

function condition(type: string, more: Partial<JobCondition> = {}): JobCondition {
  return { type, status: "True", lastTransitionTime: FINISHED, lastProbeTime: null, ...more };
}

const complete = condition("Complete");
const keep = { kind: "keep" };

test.each([
  ["without a TTL", aJob(undefined, complete), keep],
  ["that has not finished", aJob(0), keep],
  ["that is about to fail", aJob(0, condition("FailureTarget")), keep],
  ["that is about to succeed", aJob(0, condition("SuccessCriteriaMet")), keep],
  ["that is suspended", aJob(0, condition("Suspended")), keep],
  ["whose Complete condition is False", aJob(0, condition("Complete", { status: "False" })), keep],
  ["without a finish time", aJob(0, condition("Complete", { lastTransitionTime: null })), keep],
  ["that is complete", aJob(9, complete), { kind: "delete", expiredAtMs: finishedAtMs + 9000 }],
  [
    "that failed",
    aJob(10, condition("Failed")),
    { kind: "delete", expiredAtMs: finishedAtMs + 10_000 },
  ],
  ["with one second left", aJob(11, complete), { kind: "wait", delayMs: 1000 }],
])("a Job %s", (_, job, expected) => {
  expect(decideTtl({ job, nowMs: finishedAtMs + 10_000 })).toEqual(expected);
});

test("a Job that is already being deleted is ignored", () => {
  const job = aJob(0, complete);
  const going = { ...job, metadata: { ...job.metadata, deletionTimestamp: FINISHED } };
  expect(decideTtl({ job: going, nowMs: finishedAtMs })).toEqual(keep);
});
