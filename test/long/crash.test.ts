import { afterAll, beforeAll, expect, test } from "vitest";
import { runCrashCycles } from "../durability/crash-cycles.ts";
import { type Mortal, serverAlone, wholeProgram } from "../durability/crash-life.ts";
import { type Compiled, compileChild } from "../support/compiled.ts";

/**
 * A thousand kills in total. Their duration depends on the machine: CRASH_CYCLES sets another
 * number.
 */
const SHARE = Number(process.env["CRASH_CYCLES"] ?? 1000) / 1000;

let compiled: Compiled;
beforeAll(async () => {
  compiled = await compileChild("test/durability/server-child.ts");
});
afterAll(() => compiled.dispose());

test("no acknowledged write is lost in 200 kills of the whole program", async () => {
  await crash(wholeProgram, Math.ceil(200 * SHARE));
});

test("no acknowledged write is lost in 800 kills of a server with a short history", async () => {
  await crash(serverAlone(compiled), Math.ceil(800 * SHARE));
});

async function crash(mortal: Mortal, cycles: number): Promise<void> {
  const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
  const report = await runCrashCycles(mortal, { cycles, seed });
  process.stdout.write(`${JSON.stringify({ mortal: mortal.name, seed, ...report })}\n`);
  expect(report.problems, `seed ${seed}`).toEqual([]);
}
