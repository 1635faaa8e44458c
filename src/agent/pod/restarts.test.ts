import { describe, expect, test } from "vitest";
import { accepted, containerNamed, ended, exited } from "../../../test/builders/pod-facts.ts";
import { testPlans } from "../../../test/builders/pod-plan.ts";
import { formatDelay } from "./restarts.ts";

const pod = (restartPolicy: string) => ({ spec: { restartPolicy } });
const own = (restartPolicy: string) => ({
  spec: { containers: [containerNamed("c", { restartPolicy })] },
});
const ruled = (operator: string, ...values: number[]) => {
  const restartPolicyRules = [{ action: "Restart", exitCodes: { operator, values } }];
  return {
    spec: { containers: [containerNamed("c", { restartPolicy: "Never", restartPolicyRules })] },
  };
};
const ending = (exitCode: number, fields = {}) => accepted({ c: ended(exited(exitCode, fields)) });

describe("a container that ended runs again", () => {
  testPlans([
    ["never", pod("Never"), ending(1), 2, ""],
    ["always", pod("Always"), ending(0), 2, "start c/1"],
    ["after a failure", pod("OnFailure"), ending(1), 2, "start c/1"],
    ["but not after success", pod("OnFailure"), ending(0), 2, ""],
    ["by its own policy before the pod's", own("OnFailure"), ending(1), 2, "start c/1"],
    ["also where that says no", { spec: { ...own("Never").spec } }, ending(1), 2, ""],
    ["by a rule before any policy", ruled("In", 1, 42), ending(42), 2, "start c/1"],
    ["not by a rule for other codes", ruled("In", 42), ending(1), 2, ""],
    ["by a rule for all codes but some", ruled("NotIn", 42), ending(1), 2, "start c/1"],
    ["not for those", ruled("NotIn", 42), ending(42), 2, ""],
    [
      "as if killed when its end was lost",
      ruled("In", 137),
      ending(0, { isLost: true }),
      2,
      "start c/1",
    ],
  ]);
});

const again = (attempt: number, fields = {}) =>
  accepted({ c: ended(exited(1, { attempt, from: 4, to: 5 }), fields) });

describe("back-off counts from the last end", () => {
  testPlans([
    ["the first restart is at once", pod("Always"), again(0), 5, "start c/1"],
    ["the second waits 10 s", pod("Always"), again(1), 6, "again in 9"],
    ["and no longer", pod("Always"), again(1), 15, "start c/2"],
    ["the third waits 20 s", pod("Always"), again(2), 5, "again in 20"],
    ["the fourth waits 40 s", pod("Always"), again(3), 5, "again in 40"],
    ["none waits more than 300 s", pod("Always"), again(50), 5, "again in 300"],
    ["a long run begins anew", pod("Always"), again(7, { backoffFrom: 7 }), 5, "start c/8"],
    ["after which it is 10 s", pod("Always"), again(8, { backoffFrom: 7 }), 5, "again in 10"],
  ]);
});

test.each([
  [10_000, "10s"],
  [80_000, "1m20s"],
  [300_000, "5m0s"],
])("%d ms is written %s", (delayMs, text) => {
  expect(formatDelay(delayMs)).toBe(text);
});
