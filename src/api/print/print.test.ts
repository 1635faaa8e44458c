import { expect, test } from "vitest";
import { age, humanDuration } from "./age.ts";
import { formatLabelSelector, formatLabels } from "./selector.ts";

const S = 1000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;
const Y = 365 * D;

test.each([
  [-2 * S, "<invalid>"],
  [-2 * S + 1, "0s"],
  [0, "0s"],
  [119 * S + 999, "119s"],
  [2 * M, "2m"],
  [2 * M + 1 * S, "2m1s"],
  [9 * M + 59 * S, "9m59s"],
  [10 * M + 59 * S, "10m"],
  [179 * M, "179m"],
  [3 * H, "3h"],
  [3 * H + 59 * S, "3h"],
  [7 * H + 59 * M, "7h59m"],
  [8 * H + 30 * M, "8h"],
  [47 * H, "47h"],
  [2 * D, "2d"],
  [2 * D + 23 * H, "2d23h"],
  [8 * D + 5 * H, "8d"],
  [2 * Y - 1, "729d"],
  [2 * Y, "2y"],
  [3 * Y + 4 * D, "3y4d"],
  [8 * Y + 4 * D, "8y"],
])("a duration of %d ms reads %s", (milliseconds, text) => {
  expect(humanDuration(milliseconds)).toBe(text);
});

test("an age is counted to now, and is unknown without a timestamp", () => {
  const now = new Date("2026-01-01T00:00:30Z");
  expect(age("2026-01-01T00:00:00Z", now)).toBe("30s");
  expect(age("2026-01-01T00:01:00Z", now)).toBe("<invalid>");
  expect(age(undefined, now)).toBe("<unknown>");
  expect(age(null, now)).toBe("<unknown>");
});

test("a label selector prints its requirements by key, its values sorted", () => {
  const selector = {
    matchLabels: { z: "1", b: "" },
    matchExpressions: [
      { key: "c", operator: "In", values: ["y", "x", "x"] },
      { key: "a", operator: "NotIn", values: ["q"] },
      { key: "e", operator: "Exists" },
      { key: "d", operator: "DoesNotExist" },
    ],
  };
  expect(formatLabelSelector(selector)).toBe("a notin (q),b=,c in (x,y),!d,e,z=1");
});

test("a selector that selects by nothing prints <none>, an unknown operator <error>", () => {
  expect(formatLabelSelector(undefined)).toBe("<none>");
  expect(formatLabelSelector({})).toBe("<none>");
  expect(formatLabelSelector({ matchExpressions: [{ key: "a", operator: "Near" }] })).toBe(
    "<error>",
  );
});

test("labels print sorted, and <none> when there are none", () => {
  expect(formatLabels({ b: "2", a: "1" })).toBe("a=1,b=2");
  expect(formatLabels({})).toBe("<none>");
  expect(formatLabels(undefined)).toBe("<none>");
});
