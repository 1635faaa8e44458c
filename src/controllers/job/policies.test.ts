import { expect, test } from "vitest";
import { aJob, INDEXED } from "../../../test/builders/job.ts";
import { aJobPod, exited } from "../../../test/builders/job-pods.ts";
import type { PodFailurePolicyRule } from "../../api/generated/batch.ts";
import { addIndex, emptyIndexes, parseIndexes } from "../../api/index-set.ts";
import { NO_FAILURES, nextRecord, remainingMs } from "./backoff.ts";
import { judgeFailure } from "./failure-policy.ts";
import { finishedMs } from "./pod-facts.ts";
import { countCompleted, findMetRule, successRulesOf } from "./success-policy.ts";

const job = aJob();

function onExit(action: string, values: number[], more: object = {}): PodFailurePolicyRule {
  return { action, onExitCodes: { operator: "In", values, ...more } };
}

const DISRUPTED = { action: "Ignore", onPodConditions: [{ type: "Disrupted", status: "True" }] };

test.each([
  ["no rule matches", [onExit("FailJob", [3])], { isCounted: true }],
  ["the first match wins", [onExit("Count", [1]), onExit("FailJob", [1])], counted("Count")],
  ["the rule names another container", [onExit("FailJob", [1], { containerName: "x" })], counted()],
  [
    "the rule names its container",
    [onExit("FailIndex", [1], { containerName: "c" })],
    counted("FailIndex"),
  ],
  [
    "NotIn does not list the exit code",
    [onExit("Count", [2], { operator: "NotIn" })],
    counted("Count"),
  ],
  ["NotIn lists the exit code", [onExit("Count", [1], { operator: "NotIn" })], counted()],
  ["a condition matches", [DISRUPTED], { action: "Ignore", isCounted: false }],
  [
    "the Job fails",
    [DISRUPTED, onExit("FailJob", [1])].reverse(),
    {
      action: "FailJob",
      isCounted: true,
      message:
        "Container c for pod ns/j-u failed with exit code 1 matching FailJob rule at index 0",
    },
  ],
])("the failure policy when %s", (_case, rules, expected) => {
  const conditions = [{ type: "Disrupted", status: "True" }];
  const pod = aJobPod(job, { uid: "u", phase: "Failed", exitCode: 1, status: { conditions } });
  expect(judgeFailure({ rules }, pod)).toEqual(expected);
});

function counted(action?: string) {
  return { isCounted: true, ...(action ? { action } : {}) };
}

test("exit code 0 matches no rule, and init containers are checked last", () => {
  const status = {
    containerStatuses: [exited("c", 0), exited("d", 0)],
    initContainerStatuses: [exited("setup", 9)],
  };
  const pod = aJobPod(job, { uid: "u", phase: "Failed", status });
  const { message } = judgeFailure({ rules: [onExit("FailJob", [7], { operator: "NotIn" })] }, pod);
  expect(message).toContain("Container setup for pod");
});

test.each([
  ["every required index", { succeededIndexes: "1,3" }, "1,3", 0],
  ["one required index missing", { succeededIndexes: "1,3" }, "0,1,2", undefined],
  ["enough of them", { succeededIndexes: "0-3", succeededCount: 2 }, "1,3", 0],
  ["enough of any", { succeededCount: 2 }, "0,4", 0],
  ["too few of any", { succeededCount: 2 }, "4", undefined],
  ["no required index", { succeededIndexes: "" }, "0-4", undefined],
  ["a count of none, once there is one", { succeededCount: 0 }, "2", 0],
  ["a count of none before", { succeededCount: 0 }, "", undefined],
])("a success policy with %s", (_case, rule, completed, met) => {
  const spec = aJob({ ...INDEXED, successPolicy: { rules: [rule] } }).spec;
  const all = parseIndexes(completed, 5);
  expect(findMetRule(successRulesOf(spec, all), all)).toBe(met);

  const grown = emptyIndexes();
  const rules = successRulesOf(spec, grown);
  for (const index of [0, 1, 2, 3, 4].filter((each) => completed.match(`[${each}]|0-4`))) {
    addIndex(grown, index);
    countCompleted(rules, index);
  }
  expect(findMetRule(rules, grown)).toBe(met);
});

test.each([
  [
    "failures add up",
    { failures: 2, lastFailureMs: 5 },
    [],
    [7, 6],
    { failures: 4, lastFailureMs: 7 },
  ],
  ["a success resets the failures", { failures: 2, lastFailureMs: 5 }, [8], [], NO_FAILURES],
  [
    "only failures after a success remain",
    { failures: 2, lastFailureMs: 5 },
    [8],
    [7, 9],
    { failures: 1, lastFailureMs: 9 },
  ],
  [
    "without new results the record is unchanged",
    { failures: 2, lastFailureMs: 5 },
    [],
    [],
    { failures: 2, lastFailureMs: 5 },
  ],
])("%s", (_case, record, succeededMs, failedMs, next) => {
  expect(nextRecord(record, { succeededMs, failedMs })).toEqual(next);
});

test("the back-off doubles from ten seconds to ten minutes, from the last failure on", () => {
  const backoff = { firstMs: 10_000, maxMs: 600_000 };
  const waits = [0, 1, 2, 3, 4, 5, 6, 7, 8, 60].map((failures) =>
    remainingMs(backoff, { failures, lastFailureMs: 1_000 }, 1_000),
  );
  const seconds = [0, 10, 20, 40, 80, 160, 320, 600, 600, 600];
  expect(waits).toEqual(seconds.map((each) => each * 1000));
  expect(remainingMs(backoff, { failures: 1, lastFailureMs: 1_000 }, 20_000)).toBe(0);
});

const at = (seconds: number) => new Date(seconds * 1000).toISOString().replace(".000", "");

test.each([
  [
    "its last container ended",
    { containerStatuses: [exited("a", 1, at(5)), exited("b", 1, at(9))] },
    9,
  ],
  [
    "it stopped being ready, while a container has no end",
    {
      containerStatuses: [exited("a", 1, at(5)), exited("b", 1)],
      conditions: [{ type: "Ready", status: "False", lastTransitionTime: at(7) }],
    },
    7,
  ],
  ["it was created, if nothing else is known", {}, 3],
])("a pod has ended when %s", (_case, status, seconds) => {
  const pod = aJobPod(job, { status, metadata: { creationTimestamp: at(3) } });
  expect(finishedMs(pod)).toBe(seconds * 1000);
});

test("without other times, a deleted pod has ended when its deletion was requested", () => {
  const metadata = { deletionTimestamp: at(40), deletionGracePeriodSeconds: 30 };
  expect(finishedMs(aJobPod(job, { metadata }))).toBe(10_000);
});
