import { expect, test } from "vitest";
import type { JobCondition, JobStatus } from "./generated/batch.ts";
import { finishOf, isEndAnnounced, isFinished, wasCutShort } from "./job-conditions.ts";

function jobWith(...conditions: readonly Partial<JobCondition>[]) {
  const all = conditions.map((each) => ({ status: "True", ...each }) as JobCondition);
  return { status: { conditions: all } as JobStatus };
}

test("a Job is finished if it is Complete or Failed", () => {
  expect(finishOf(jobWith({ type: "Complete" }))?.type).toBe("Complete");
  expect(finishOf(jobWith({ type: "Suspended" }, { type: "Failed" }))?.type).toBe("Failed");
});

test("a Job is not finished while the condition is absent, not met or only announced", () => {
  expect(isFinished({ status: {} })).toBe(false);
  expect(isFinished(jobWith({ type: "Complete", status: "False" }))).toBe(false);
  const announced = jobWith({ type: "FailureTarget" });
  expect([isFinished(announced), isEndAnnounced(announced)]).toEqual([false, true]);
});

test("a Job that failed for another reason than its indexes was cut short", () => {
  expect(wasCutShort(jobWith({ type: "Failed", reason: "MaxFailedIndexesExceeded" }))).toBe(true);
  expect(wasCutShort(jobWith({ type: "Failed", reason: "FailedIndexes" }))).toBe(false);
  expect(wasCutShort(jobWith({ type: "Complete" }))).toBe(false);
});
