import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { losePower } from "../durability/power-loss.ts";
import { type Compiled, compileChild } from "../support/compiled.ts";
import { hasTool } from "../support/debian-tool.ts";

const trace = ["-f", "-e", "trace=write", "true"];
const canTrace = hasTool("strace") && spawnSync("strace", trace).status === 0;

let compiled: Compiled;
beforeAll(async () => {
  compiled = await compileChild("test/durability/power-child.ts");
});
afterAll(() => compiled.dispose());

test.skipIf(!canTrace)(
  "no data is lost if the power is cut at any byte of the last transaction [needs strace]",
  async () => {
    const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
    const { child } = compiled;
    const often = { tearEvery: 512, tearLastEvery: 1, scatterings: 20 };
    const report = await losePower({ child, transactions: 40, ...often, seed });
    process.stdout.write(`${JSON.stringify({ seed, ...report })}\n`);
    expect(report.problems, `seed ${seed}`).toEqual([]);
  },
);
