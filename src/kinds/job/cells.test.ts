import { expect, test } from "vitest";
import { UID } from "../../../test/builders/created.ts";
import { aJob, INDEXED } from "../../../test/builders/job.ts";
import type { JobStatus } from "../../api/generated/batch.ts";
import { jobCells } from "./cells.ts";
import { jobKind } from "./kind.ts";

const NOW = new Date("2024-01-04T05:07:08Z");
const START = "2024-01-01T00:00:00Z";

function cellsOf(status: JobStatus, spec = {}, metadata = {}) {
  const job = aJob(spec);
  return jobCells({ ...job, status, metadata: { ...job.metadata, ...metadata } }, NOW);
}

function conditions(...types: string[]) {
  return { conditions: types.map((type) => ({ type, status: "True" })) };
}

test("a row has a cell for each column", () => {
  const cells = cellsOf({}, {}, { creationTimestamp: START });
  const selector = `batch.kubernetes.io/controller-uid=${UID}`;
  expect(cells).toEqual(["j", "Running", "0/1", "", "3d5h", "c", "busybox:1.36", selector]);
  expect(jobKind.columns).toHaveLength(cells.length);
});

test.each<[string, JobStatus, object]>([
  ["Complete", conditions("SuccessCriteriaMet", "Complete"), { deletionTimestamp: START }],
  ["Failed", conditions("FailureTarget", "Failed"), { deletionTimestamp: START }],
  ["Terminating", conditions("Suspended"), { deletionTimestamp: START }],
  ["Suspended", conditions("Suspended", "FailureTarget"), {}],
  ["FailureTarget", conditions("SuccessCriteriaMet", "FailureTarget"), {}],
  ["SuccessCriteriaMet", conditions("SuccessCriteriaMet"), {}],
  ["Running", { conditions: [{ type: "Suspended", status: "False" }] }, {}],
])("%s is the status", (expected, status, metadata) => {
  expect(cellsOf(status, {}, metadata)[1]).toBe(expected);
});

test.each([
  ["2/5", INDEXED],
  ["2/1 of 3", { parallelism: 3 }],
  ["2/1", { parallelism: 1 }],
])("%s are the completions", (expected, spec) => {
  expect(cellsOf({ succeeded: 2 }, spec)[2]).toBe(expected);
});

test("the duration ends when a Job completes, and keeps growing when it failed", () => {
  expect(cellsOf({ startTime: START, completionTime: "2024-01-01T00:10:00Z" })[3]).toBe("10m");
  expect(cellsOf({ startTime: START, ...conditions("Failed") })[3]).toBe("3d5h");
});

test("unusual names and very large Jobs cause warnings", () => {
  const warnings = jobKind.rules.warningsOnCreate?.(aJob({}, { name: "a.b" }));
  expect(warnings).toEqual([
    "metadata.name: this is used in Pod names and hostnames, which can result in surprising " +
      "behavior; a DNS label is recommended: [must not contain dots]",
  ]);
  const big = aJob({ ...INDEXED, completions: 100001, parallelism: 10001 });
  const old = aJob({ ...INDEXED, completions: 100001 });
  expect(jobKind.rules.warningsOnCreate?.(big)).toHaveLength(1);
  expect(jobKind.rules.warningsOnUpdate?.(big, old)).toHaveLength(1);
  expect(jobKind.rules.warningsOnUpdate?.(big, big)).toEqual([]);
});
