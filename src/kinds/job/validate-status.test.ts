import { expect, test } from "vitest";
import { aJob, INDEXED } from "../../../test/builders/job.ts";
import { formatFinding } from "../../api/finding.ts";
import type { JobStatus } from "../../api/generated/batch.ts";
import type { Json } from "../../api/object.ts";
import { jobKind } from "./kind.ts";

const START = "2024-01-01T00:00:00Z";
const END = "2024-01-01T00:10:00Z";

function problemsOf(next: JobStatus, old: JobStatus = {}, spec: { [key: string]: Json } = {}) {
  const job = aJob(spec);
  const found = jobKind.rules.validateStatusUpdate?.(
    { ...job, ...{ status: next } },
    { ...job, ...{ status: old } },
  );
  return found?.map((finding) => formatFinding(finding).replace("status.", ""));
}

function conditions(...types: string[]) {
  return { conditions: types.map((type) => ({ type, status: "True" })) };
}

const COMPLETE = {
  startTime: START,
  completionTime: END,
  ...conditions("SuccessCriteriaMet", "Complete"),
};
const FAILED = { startTime: START, ...conditions("FailureTarget", "Failed") };

test.each<[string, JobStatus, JobStatus]>([
  ["running", { startTime: START, active: 2, ready: 1, terminating: 1 }, {}],
  ["complete", COMPLETE, {}],
  ["failed", FAILED, {}],
  ["unknown conditions", conditions("example.com/Mine"), {}],
  [
    "a status older than the rules",
    { ...conditions("Complete"), failed: 1 },
    conditions("Complete"),
  ],
])("%s is a status", (_name, next, old) => {
  expect(problemsOf(next, old)).toEqual([]);
});

const NEGATIVE = "Invalid value: -1: must be greater than or equal to 0";

test.each<[string, JobStatus, string[]]>([
  [
    "negative counters",
    { active: -1, succeeded: -1, failed: -1, ready: -1, terminating: -1 },
    [
      `active: ${NEGATIVE}`,
      `succeeded: ${NEGATIVE}`,
      `failed: ${NEGATIVE}`,
      `ready: ${NEGATIVE}`,
      `terminating: ${NEGATIVE}`,
      "failed: Invalid value: -1: cannot decrease the failed counter",
      "succeeded: Invalid value: -1: cannot decrease the succeeded counter",
    ],
  ],
  [
    "pods counted twice, or without a name",
    { uncountedTerminatedPods: { succeeded: ["a", "", "a"], failed: ["a", "b"] } },
    [
      'uncountedTerminatedPods.succeeded[1]: Invalid value: "": must not be empty',
      'uncountedTerminatedPods.succeeded[2]: Duplicate value: "a"',
      'uncountedTerminatedPods.failed[0]: Duplicate value: "a"',
    ],
  ],
  [
    "Complete and Failed",
    { ...COMPLETE, ...conditions("SuccessCriteriaMet", "FailureTarget", "Complete", "Failed") },
    [
      "conditions: Invalid value: cannot set Complete=True and Failed=true conditions",
      "conditions: Invalid value: cannot set Complete=True and FailureTarget=true conditions",
      "conditions: Invalid value: cannot set SuccessCriteriaMet=True and Failed=true conditions",
      "conditions: Invalid value: " +
        "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions",
    ],
  ],
  [
    "Complete without its interim condition",
    { ...COMPLETE, ...conditions("Complete") },
    [
      "conditions: Invalid value: " +
        "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
    ],
  ],
  [
    "Failed without its interim condition",
    { ...FAILED, ...conditions("Failed") },
    [
      "conditions: Invalid value: " +
        "cannot set Failed=True condition without the FailureTarget=true condition",
    ],
  ],
  [
    "complete without times",
    conditions("SuccessCriteriaMet", "Complete"),
    [
      "completionTime: Required value: completionTime is required for Complete jobs",
      "startTime: Required value: startTime is required for finished job",
    ],
  ],
  [
    "a completion time before the start, of a Job that is not complete",
    { startTime: END, completionTime: START },
    [
      `completionTime: Invalid value: "${START}": ` +
        "cannot set completionTime when there is no Complete=True condition",
      `completionTime: Invalid value: "${START}": must be equal to or after \`startTime\``,
    ],
  ],
  [
    "pods of a finished Job",
    { ...FAILED, active: 1, terminating: 2, uncountedTerminatedPods: { failed: ["a"] } },
    [
      "active: Invalid value: 1: active>0 is invalid for finished job",
      'uncountedTerminatedPods: Invalid value: {"Succeeded":null,"Failed":["a"]}: ' +
        "must be empty for finished job",
      "terminating: Invalid value: 2: terminating>0 is invalid for finished job",
    ],
  ],
  [
    "more ready than active",
    { active: 1, ready: 2 },
    ["ready: Invalid value: 2: cannot set more ready pods than active"],
  ],
  [
    "indexes of a Job that has none",
    { completedIndexes: "0", failedIndexes: "" },
    [
      'completedIndexes: Invalid value: "0": ' +
        "cannot set non-empty completedIndexes when non-indexed completion mode",
      'failedIndexes: Invalid value: "": ' +
        "cannot set non-null failedIndexes when backoffLimitPerIndex is null",
    ],
  ],
])("a status is rejected for %s", (_name, next, problems) => {
  expect(problemsOf(next)).toEqual(problems);
});

test.each<[string, JobStatus, string[]]>([
  ["well-formed", { completedIndexes: "0,2-4", failedIndexes: "1" }, []],
  [
    "malformed",
    { completedIndexes: "2,1", failedIndexes: "a" },
    [
      'completedIndexes: Invalid value: "2,1": ' +
        "error parsing completedIndexes: non-increasing order, previous: 2, current: 1",
      'failedIndexes: Invalid value: "a": ' +
        'error parsing failedIndexes: cannot convert string to integer for index: "a"',
    ],
  ],
  [
    "overlapping",
    { completedIndexes: "0-2,4", failedIndexes: "2-3" },
    [
      'failedIndexes: Invalid value: "2-3": ' +
        "failedIndexes and completedIndexes overlap at index: 2",
    ],
  ],
])("indexes, %s", (_name, next, problems) => {
  expect(problemsOf(next, {}, { ...INDEXED, backoffLimitPerIndex: 1 })).toEqual(problems);
});

test.each<[string, JobStatus, JobStatus, string[]]>([
  [
    "the end of a Job",
    { startTime: START },
    FAILED,
    [
      "conditions: Invalid value: cannot disable the terminal Failed=True condition",
      "conditions: Invalid value: cannot disable the terminal FailureTarget=True condition",
    ],
  ],
  [
    "success",
    { startTime: START },
    { startTime: START, ...conditions("SuccessCriteriaMet") },
    ["conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition"],
  ],
  [
    "an end without success",
    COMPLETE,
    { ...COMPLETE, ...conditions("Complete") },
    [
      "conditions: Invalid value: " +
        "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions",
    ],
  ],
  [
    "counters",
    { failed: 2, succeeded: 2 },
    { failed: 3, succeeded: 3 },
    [
      "failed: Invalid value: 2: cannot decrease the failed counter",
      "succeeded: Invalid value: 2: cannot decrease the succeeded counter",
    ],
  ],
  [
    "the time of completion",
    { ...COMPLETE, completionTime: "2024-01-01T00:11:00Z" },
    COMPLETE,
    ['completionTime: Invalid value: "2024-01-01T00:11:00Z": field is immutable'],
  ],
  [
    "the time of the start",
    {},
    { startTime: START },
    ["startTime: Invalid value: null: field is immutable for unsuspended job once set"],
  ],
])("%s cannot be reverted", (_name, next, old, problems) => {
  expect(problemsOf(next, old)).toEqual(problems);
});

test("startTime may change when the Job is suspended or resumed", () => {
  expect(problemsOf({}, { startTime: START }, { suspend: true })).toEqual([]);
  const old = { startTime: START, ...conditions("Suspended") };
  expect(problemsOf({ startTime: END }, old)).toEqual([]);
});

test("succeeded may only decrease for an elastic Indexed Job", () => {
  const elastic = { ...INDEXED, completions: 3 };
  expect(problemsOf({ succeeded: 2 }, { succeeded: 3 }, elastic)).toEqual([]);
  expect(problemsOf({ succeeded: 2 }, { succeeded: 3 }, INDEXED)).toHaveLength(1);
});

test("a suspended Job with 0 completions completes without a startTime", () => {
  const { startTime: _startTime, ...status } = COMPLETE;
  expect(problemsOf(status, {}, { suspend: true, completions: 0 })).toEqual([]);
  expect(problemsOf(status)).toHaveLength(1);
});

test("a Job with a successPolicy can complete by it", () => {
  const spec = { ...INDEXED, successPolicy: { rules: [{ succeededCount: 1 }] } };
  expect(problemsOf({ ...COMPLETE, ...conditions("Complete") }, {}, spec)).toEqual([
    "conditions: Invalid value: " +
      "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
    "conditions: Invalid value: " +
      "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True",
  ]);
});
