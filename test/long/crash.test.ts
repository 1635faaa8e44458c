import { expect, test } from "vitest";
import { runCrashCycles } from "../durability/crash-cycles.ts";

test("no acknowledged write is lost in 200 kills at random moments", async () => {
  const seed = Date.now() % 2 ** 31;
  const report = await runCrashCycles(200, seed);
  process.stdout.write(`${JSON.stringify({ seed, ...report })}\n`);
  expect(report.problems, `seed ${seed}`).toEqual([]);
});
