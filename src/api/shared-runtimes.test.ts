import { expect, test } from "vitest";
import { ALLOWED_RUNTIMES, findAllowedRuntimes, isAllowedRuntime } from "./shared-runtimes.ts";

test.each([
  ["sandbox", ["sandbox", "engine"], true],
  ["docker", ["sandbox", "engine"], true],
  ["podman", ["docker"], false],
  ["engine", ["docker"], true],
  ["process", ["sandbox", "engine"], false],
  ["other", ["sandbox", "engine"], false],
])("whether %s is allowed by %j: %s", (name, allowed, expected) => {
  expect(isAllowedRuntime(name, allowed)).toBe(expected);
});

test("a node without the annotation is not restricted", () => {
  expect(findAllowedRuntimes({ metadata: {} })).toBeUndefined();
  const annotations = { [ALLOWED_RUNTIMES]: "sandbox,engine" };
  expect(findAllowedRuntimes({ metadata: { annotations } })).toEqual(["sandbox", "engine"]);
});
