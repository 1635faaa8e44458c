import { expect, test } from "vitest";
import { repetitions } from "./repetitions.ts";

test("the places of values that were there before are found", () => {
  expect([...repetitions(["a", "b", "a", "c", "b", "a"])]).toEqual([2, 4, 5]);
  expect(repetitions([]).size).toBe(0);
});
