import { expect, test } from "vitest";
import { aJob } from "../../../test/builders/job.ts";
import type { Job, JobStatus } from "../../api/generated/batch.ts";
import { type Ending, formatNote, nextRecord, recallRecord, remainingMs } from "./backoff.ts";

const SECOND = Date.UTC(2026, 0, 1) / 1000;

function at(second: number): number {
  return (SECOND + second) * 1000;
}

function failed(second: number, isInStatus = true): Ending {
  return { ms: at(second), hasSucceeded: false, isInStatus };
}

function succeeded(second: number): Ending {
  return { ms: at(second), hasSucceeded: true, isInStatus: false };
}

function aJobWith(status: JobStatus, note?: string): Job {
  return { ...aJob({}, note ? { annotations: { "tallyjob.io/failures": note } } : {}), status };
}

const NOTE = "2@2026-01-01T00:00:10Z";

test.each<[string, Job, Ending[], number, number]>([
  ["nothing", aJobWith({}), [], 0, 0],
  ["failed pods", aJobWith({ failed: 2 }), [failed(1), failed(5)], 2, at(5)],
  [
    "no pod that was ended by its node",
    aJobWith({ failed: 2 }),
    [failed(1), { ...failed(5), isByNode: true }],
    1,
    at(1),
  ],
  ["only failures after a success", aJobWith({}), [failed(1), succeeded(2), failed(3)], 1, at(3)],
  ["no failure in the same second as a success", aJobWith({}), [failed(2), succeeded(2)], 0, 0],
  ["failures whose pods are deleted", aJobWith({ failed: 3 }), [failed(5)], 3, at(5)],
  [
    "failures listed in the status as uncounted, and failures not listed yet",
    aJobWith({ failed: 1, uncountedTerminatedPods: { failed: ["a"] } }),
    [failed(5), failed(6, false)],
    3,
    at(6),
  ],
  ["no deleted pods if something has succeeded", aJobWith({ failed: 3, succeeded: 1 }), [], 0, 0],
  ["the annotation", aJobWith({ failed: 9 }, NOTE), [], 2, at(10)],
  ["the annotation and later failures", aJobWith({}, NOTE), [failed(10), failed(11)], 3, at(11)],
  [
    "no failures if a success is later than the annotation",
    aJobWith({}, NOTE),
    [failed(3), succeeded(11)],
    0,
    0,
  ],
  ["the pods if the annotation is invalid", aJobWith({ failed: 1 }, "many"), [failed(4)], 1, at(4)],
])("after a restart a Job remembers %s", (_what, job, endings, failures, lastFailureMs) => {
  expect(recallRecord(job, endings)).toEqual({ failures, lastFailureMs });
});

test("the annotation restores the failure record", () => {
  const record = nextRecord({ failures: 1, lastFailureMs: at(0) }, ends([], [at(7)]));
  expect(recallRecord(aJobWith({}, formatNote(record, at(9))), [])).toEqual(record);
  const forgiven = formatNote(nextRecord(record, ends([at(8)], [])), at(9));
  const later = recallRecord(aJobWith({}, forgiven), [failed(7), failed(12)]);
  expect(later).toEqual({ failures: 1, lastFailureMs: at(12) });
});

test("a back-off of 0 never waits, even if a node's clock is ahead", () => {
  const record = { failures: 3, lastFailureMs: at(60) };
  expect(remainingMs({ firstMs: 0, maxMs: 600_000 }, record, at(0))).toBe(0);
});

function ends(succeededMs: readonly number[], failedMs: readonly number[]) {
  return { succeededMs, failedMs };
}
