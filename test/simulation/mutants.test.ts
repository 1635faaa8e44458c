import { expect, test } from "vitest";
import { MUTANTS } from "./mutants.ts";
import { occurrences, withMutant } from "./mutated.ts";
import { ALL_SEEDS } from "./seeds.ts";

test("every file of rules has mutants", () => {
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

/** Much longer than needed, because the machine may be busy. */
const timeout = 600_000;

test.each(MUTANTS)("the simulation detects that $mistake", { timeout }, async (mutant) => {
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
