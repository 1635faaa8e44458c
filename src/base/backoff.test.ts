import { expect, test } from "vitest";
import { backoffMs } from "./backoff.ts";

test.each([
  [0, 0],
  [1, 5],
  [2, 10],
  [4, 40],
  [5, 60],
  [5000, 60],
])("after %i failures the wait is %i ms", (failures, expected) => {
  expect(backoffMs({ firstMs: 5, maxMs: 60 }, failures)).toBe(expected);
});

test("the growth factor can be set", () => {
  expect(backoffMs({ firstMs: 1, maxMs: 1000, factor: 3 }, 4)).toBe(27);
});
