/**
 * The laws of the Job controller over a million histories, from a new seed unless SEED is given.
 * Each seed that breaks a law is printed and added to test/job-laws/failed-seeds.jsonl.
 *
 *     LAW_HISTORIES   the total number, default a million
 *     LAW_PROCESSES   the number of processes, default one
 *     LAW_PROGRESS    a file: an interrupted run, or one with a larger total, continues there
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { keepBroken } from "../job-laws/failures.ts";
import { judge } from "../job-laws/judge.ts";
import { runLong } from "../job-laws/long-run.ts";
import { Progress } from "../job-laws/progress.ts";
import { historyOf } from "../job-laws/random-history.ts";
import { type Compiled, compileChild } from "../support/compiled.ts";

const { SEED, LAW_HISTORIES, LAW_PROCESSES, LAW_PROGRESS } = process.env;

/** As long as it takes on a busy machine: each finished portion is stored. */
const timeout = 24 * 3_600_000;

let compiled: Compiled;
beforeAll(async () => {
  compiled = await compileChild("test/job-laws/child.ts");
});
afterAll(() => compiled.dispose());

test("a million histories of Jobs keep every law", { timeout }, async () => {
  const progress = new Progress(Number(SEED ?? Date.now() % 2 ** 31), LAW_PROGRESS);
  process.stdout.write(`job laws: the first seed is ${progress.firstSeed}\n`);
  const problems: string[] = [];
  await runLong({
    child: compiled.child,
    histories: Number(LAW_HISTORIES ?? 1_000_000),
    processes: Number(LAW_PROCESSES ?? 1),
    portionSize: 2_000,
    progress,
    onBroken: (broken) => {
      problems.push(keepBroken(broken));
      process.stdout.write(`${problems.at(-1)}\n`);
    },
  });
  const { broken, ...figures } = progress.totals();
  process.stdout.write(`job laws: ${JSON.stringify({ ...figures, broken: broken.length })}\n`);
  expect(problems, problems.join("\n\n")).toEqual([]);
  // Seeds that failed in earlier parts of the run and still fail.
  const still = broken.filter((seed) => judge(historyOf(seed)).complaints.size > 0);
  expect(still).toEqual([]);
});
