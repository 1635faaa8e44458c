import { expect, test } from "vitest";
import { assert, unreachable } from "./assert.ts";

test("a failed assertion reports the condition", () => {
  expect(() => assert(0 > 1, "the queue is sorted")).toThrow(
    "assertion failed: the queue is sorted",
  );
  expect(() => assert(1 > 0, "never seen")).not.toThrow();
});

test("unreachable() reports the value", () => {
  expect(() => unreachable({ kind: "new" } as never)).toThrow('unreachable: {"kind":"new"}');
});
