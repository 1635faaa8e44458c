import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Compiled, compileChild } from "../support/compiled.ts";
import { hasTool } from "../support/debian-tool.ts";
import { losePower } from "./power-loss.ts";

/** strace may be missing, and a container may forbid tracing. */
const canTrace =
  hasTool("strace") && spawnSync("strace", ["-f", "-e", "trace=write", "true"]).status === 0;

let compiled: Compiled;
beforeAll(async () => {
  compiled = await compileChild("test/durability/power-child.ts");
});
afterAll(() => compiled.dispose());

test.skipIf(!canTrace)(
  "after any power cut all durable data is there, and nothing is half-written [needs strace]",
  async () => {
    const seed = Date.now() % 2 ** 31;
    const { child } = compiled;
    const often = { tearEvery: 4096, tearLastEvery: 150, scatterings: 1 };
    const report = await losePower({ child, transactions: 8, ...often, seed });
    expect(report.problems, `seed ${seed}`).toEqual([]);
    expect(report.transactions).toBeGreaterThan(8);
    expect(report.images).toBeGreaterThan(100);
  },
  300_000,
);

test.skipIf(!canTrace)("a disk that does not sync is detected [needs strace]", async () => {
  const { child } = compiled;
  const often = { tearEvery: 4096, tearLastEvery: 4096, scatterings: 1 };
  const report = await losePower({ child, transactions: 3, ...often, seed: 1, isLying: true });
  expect(report.problems).not.toEqual([]);
});
