import { afterAll, beforeAll, expect, test } from "vitest";
import { type Compiled, compileChild } from "../support/compiled.ts";
import { runCrashCycles } from "./crash-cycles.ts";
import { serverAlone, wholeProgram } from "./crash-life.ts";

let compiled: Compiled;
beforeAll(async () => {
  compiled = await compileChild("test/durability/server-child.ts");
});
afterAll(() => compiled.dispose());

test("no acknowledged write is lost in 12 kills of the whole program", async () => {
  const seed = Date.now() % 2 ** 31;
  const report = await runCrashCycles(wholeProgram, { cycles: 12, seed });
  expect(report.problems, `seed ${seed}`).toEqual([]);
  expect(report.acknowledged).toBeGreaterThan(0);
}, 300_000);

test("no acknowledged write is lost in 12 kills of a server with a short history", async () => {
  const seed = Date.now() % 2 ** 31;
  const report = await runCrashCycles(serverAlone(compiled), { cycles: 12, seed });
  expect(report.problems, `seed ${seed}`).toEqual([]);
  expect(report.refused).toBeGreaterThan(0);
}, 300_000);
