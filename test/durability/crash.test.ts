import { expect, test } from "vitest";
import { runCrashCycles } from "./crash-cycles.ts";

test("no acknowledged write is lost in 20 kills at random moments", async () => {
  const seed = Date.now() % 2 ** 31;
  const report = await runCrashCycles(20, seed);
  expect(report.problems, `seed ${seed}`).toEqual([]);
  expect(report.acknowledged).toBeGreaterThan(0);
}, 300_000);
