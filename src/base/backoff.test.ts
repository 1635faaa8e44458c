import fc from "fast-check";
import { expect, test } from "vitest";
import { backoffMs, withJitter } from "./backoff.ts";

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

test("the growth can be chosen", () => {
  expect(backoffMs({ firstMs: 1, maxMs: 1000, factor: 3 }, 4)).toBe(27);
});

test("jitter keeps at least half of the wait and never adds to it", () => {
  const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.nat(1e9), fraction, (waitMs, share) => {
      const jittered = withJitter(waitMs, share);
      return jittered >= waitMs / 2 && jittered <= waitMs;
    }),
  );
});
