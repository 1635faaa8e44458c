import { expect, test } from "vitest";
import { isDue } from "./die-at.ts";

test.each([
  ["resume:2", [false, false, true, false]],
  ["any:2", [false, true, false, false]],
  ["retry:1", [false, true, false, false]],
  ["replace:1", [false, false, false, false]],
])("%s is due only at that step", (wanted, expected) => {
  const counts = new Map<string, number>();
  const steps = ["resume", "retry", "resume", "resume"];
  expect(steps.map((step) => isDue(wanted, step, counts))).toEqual(expected);
});
