import { expect, test } from "vitest";
import { aJob, INDEXED } from "../../../test/builders/job.ts";
import { type RunPhase, runStateOf } from "./run-state.ts";

const COMPLETE = [{ type: "Complete", status: "True", reason: "CompletionsReached" }];
const FAILED = [{ type: "Failed", status: "True", reason: "FailedIndexes" }];

test.each<[RunPhase, object, object, boolean]>([
  ["Running", {}, {}, true],
  ["Stopped", {}, {}, false],
  ["Paused", { suspend: true }, {}, true],
  ["Stopped", { suspend: true }, {}, false],
  ["Succeeded", {}, { conditions: COMPLETE }, false],
  ["Failed", {}, { conditions: FAILED }, true],
])("a run is %s with %j, %j, an engine: %s", (phase, spec, status, isLive) => {
  const job = { ...aJob({ ...INDEXED, ...spec }), status };
  expect(runStateOf(job, isLive).phase).toBe(phase);
});

test("a run that was asked to pause is paused", () => {
  const job = aJob(INDEXED, { annotations: { "tallyjob.io/paused": "4" } });
  expect(runStateOf(job, true).phase).toBe("Paused");
});

test("failed items are counted by index, not by pod", () => {
  const spec = { ...INDEXED, backoffLimitPerIndex: 3 };
  const status = { succeeded: 2, failed: 9, failedIndexes: "1,3", active: 1 };
  const state = runStateOf({ ...aJob(spec), status }, true);
  expect(state).toMatchObject({ total: 5, succeeded: 2, failed: 2, active: 1, before: 0 });
});

test("the state has the items done before, and the reason of the Job's failure", () => {
  const job = aJob(INDEXED, { annotations: { "tallyjob.io/completed-indexes": "0-2" } });
  const conditions = [{ type: "Failed", status: "True", reason: "DeadlineExceeded" }];
  expect(runStateOf({ ...job, status: { conditions } }, true)).toMatchObject({
    before: 3,
    reason: "DeadlineExceeded",
  });
  expect(runStateOf({ ...job, status: { conditions: FAILED } }, true).reason).toBeUndefined();
});
