import { expect, test } from "vitest";
import { aJob, INDEXED } from "../../../test/builders/job.ts";
import type { Job } from "../../api/generated/batch.ts";
import { formatIndexes } from "../../api/index-set.ts";
import {
  backoffOf,
  complaintsOf,
  completedBefore,
  isIncomprehensible,
  keptPodsOf,
  lastsUntilPodsEnd,
  rerunRequest,
} from "./annotations.ts";

function asking(name: string, value: string, spec: Parameters<typeof aJob>[0] = INDEXED): Job {
  return aJob(spec, { annotations: { [`tallyjob.io/${name}`]: value } });
}

test.each([
  ["3", "3"],
  ["4,0-2", "0-2,4"],
  [" 1 , 3-4 ", "1,3,4"],
  ["2,1-3", "1-3"],
  ["", ""],
])("%j names the indexes %j", (text, expected) => {
  const job = asking("rerun-indexes", text);
  expect(formatIndexes(rerunRequest(job))).toBe(expected);
  expect(complaintsOf(job)).toEqual([]);
  expect(formatIndexes(completedBefore(asking("completed-indexes", text)))).toBe(expected);
});

const NO_LIST = 'must be a list such as "3,7-9":';

test.each([
  ["x", `${NO_LIST} "x" is not part of one`],
  ["1,,2", `${NO_LIST} "" is not part of one`],
  ["1-", `${NO_LIST} "1-" is not part of one`],
  ["3-1", `${NO_LIST} "3-1" is not part of one`],
  ["-1", `${NO_LIST} "-1" is not part of one`],
  ["1-2-3", `${NO_LIST} "1-2-3" is not part of one`],
  ["0-5", "has index 5, and the Job has 0 to 4"],
])("%j is rejected with a complaint and names no index", (text, problem) => {
  const rerun = asking("rerun-indexes", text);
  const message = `tallyjob.io/rerun-indexes ${problem}`;
  expect(complaintsOf(rerun)).toEqual([{ reason: "InvalidRerunIndexes", message }]);
  expect(rerunRequest(rerun).size).toBe(0);
  const completed = asking("completed-indexes", text);
  expect(complaintsOf(completed)).toEqual([
    {
      reason: "InvalidCompletedIndexes",
      message: `tallyjob.io/completed-indexes ${problem}; the Job is not started`,
    },
  ]);
  expect(isIncomprehensible(completed)).toBe(true);
  expect(isIncomprehensible(rerun)).toBe(false);
});

test("a Job that is not Indexed cannot name indexes", () => {
  const job = asking("rerun-indexes", "0", { completions: 3 });
  expect(complaintsOf(job).map(({ message }) => message)).toEqual([
    "tallyjob.io/rerun-indexes is for Indexed Jobs only",
  ]);
});

test("completed-indexes is ignored once a status is written", () => {
  const job = asking("completed-indexes", "x");
  const begun: Job = { ...job, status: { uncountedTerminatedPods: {} } };
  expect(isIncomprehensible(begun)).toBe(false);
  expect(complaintsOf(begun)).toEqual([]);
});

const USUAL = { firstMs: 10_000, maxMs: 600_000 };

test.each([
  [{}, USUAL],
  [{ "backoff-base": "2s" }, { firstMs: 2000, maxMs: 600_000 }],
  [{ "backoff-cap": "1m30s" }, { firstMs: 10_000, maxMs: 90_000 }],
  [
    { "backoff-base": "0s", "backoff-cap": "0" },
    { firstMs: 0, maxMs: 0 },
  ],
  [{ "backoff-base": "soon", "backoff-cap": "-1s" }, USUAL],
])("%j makes the back-off %j", (asked, expected) => {
  const named = Object.entries(asked).map(([name, value]) => [`tallyjob.io/${name}`, value]);
  const job = aJob({}, { annotations: Object.fromEntries(named) });
  expect(backoffOf(job, USUAL)).toEqual(expected);
});

test.each([
  ["all", "all", 0],
  ["failed", "failed", 0],
  ["none", "none", 0],
  ["some", "all", 1],
])("keep-pods %j keeps %s", (asked, kept, complaints) => {
  const job = asking("keep-pods", asked);
  expect(keptPodsOf(job)).toBe(kept);
  expect(complaintsOf(job)).toHaveLength(complaints);
});

test.each([
  ["soon", true, []],
  ["now", false, []],
  [
    "later",
    false,
    [{ reason: "InvalidHalt", message: 'tallyjob.io/halt must be "now" or "soon", not "later"' }],
  ],
])("with halt %j, running pods may finish: %s", (text, lasts, complaints) => {
  const job = asking("halt", text);
  expect(lastsUntilPodsEnd(job)).toBe(lasts);
  expect(complaintsOf(job)).toEqual(complaints);
});
