import { expect, test } from "vitest";
import { MUTANTS } from "./mutants.ts";
import { occurrences, withMutant } from "./mutated.ts";
import { ALL_SEEDS } from "./seeds.ts";

test("there are mutants of every file of rules", () => {
  const files = new Set(MUTANTS.map(({ file }) => file));
  expect([...files].sort()).toEqual([
    "backoff.ts",
    "decide.ts",
    "failure-policy.ts",
    "own-writes.ts",
    "pod-changes.ts",
    "releases.ts",
    "scoreboard.ts",
    "status.ts",
    "success-policy.ts",
    "tally.ts",
    "verdict.ts",
  ]);
});

/** Much more than it takes: the machine may be busy. */
const timeout = 600_000;

test.each(MUTANTS)("it is found when $mistake", { timeout }, async (mutant) => {
  expect(await occurrences(mutant), `${mutant.file} has: ${mutant.find}`).toBe(1);
  const found = await withMutant(mutant, async ({ simulate }) => {
    for (const seed of [mutant.seed ?? 1, ...ALL_SEEDS]) {
      const { failure } = await simulate(seed);
      if (failure !== undefined) return seed;
    }
    return undefined;
  });
  expect(found).toBeDefined();
});
