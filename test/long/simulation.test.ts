/**
 * Ten thousand simulated worlds, from a new seed unless SEED is given. Each seed that fails is
 * printed and added to test/simulation/failed-seeds.jsonl.
 */
import { expect, test } from "vitest";
import { keepFailure } from "../simulation/seeds.ts";
import { simulate } from "../simulation/simulate.ts";

const WORLDS = 10_000;
const MOST_FAILURES = 3;

test("every Job of ten thousand worlds ends as the reference model says", async () => {
  const first = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
  process.stdout.write(`simulation: the first seed is ${first}\n`);
  const failures: string[] = [];
  for (let seed = first; seed < first + WORLDS && failures.length < MOST_FAILURES; seed++) {
    const report = await simulate(seed);
    if (report.failure === undefined) continue;
    failures.push(keepFailure(report));
    process.stdout.write(`${failures.at(-1)}\n`);
  }
  expect(failures, failures.join("\n\n")).toEqual([]);
});
