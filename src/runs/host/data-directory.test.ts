import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { hasRuns, runDirectory } from "./data-directory.ts";

const made: string[] = [];

afterEach(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true });
});

test("runs are stored in .tally of the working directory unless --data names another", () => {
  expect(runDirectory({}, "/project")).toBe("/project/.tally");
  expect(runDirectory({ data: "runs" }, "/project")).toBe("/project/runs");
  expect(runDirectory({ data: "/data" }, "/project")).toBe("/data");
});

test("a directory has runs once it has a store", () => {
  const directory = mkdtempSync(join(tmpdir(), "tally-runs-"));
  made.push(directory);
  expect(hasRuns(join(directory, "missing"))).toBe(false);
  expect(hasRuns(directory)).toBe(false);
  mkdirSync(join(directory, "store"));
  expect(hasRuns(directory)).toBe(true);
});
