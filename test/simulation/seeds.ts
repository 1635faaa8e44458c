/** The seeds that every run of the tests simulates, or only the seed in SEED. */
import { type FailedSeed, keepFailedSeed, readFailedSeeds } from "../support/failed-seeds.ts";
import { projectFile } from "../support/project-file.ts";
import type { Report } from "./simulate.ts";

const COUNT = 300;

/** Seeds that failed in random runs. */
const TABLE = projectFile("test/simulation/failed-seeds.jsonl");

const { SEED } = process.env;

export const isReplay = SEED !== undefined;

export const ALL_SEEDS: readonly number[] = Array.from({ length: COUNT }, (_, at) => at + 1);

export const SEEDS: readonly number[] = isReplay ? [Number(SEED)] : ALL_SEEDS;

/** Seeds that failed once, with the problem they had then. */
export const ONCE_FAILED: readonly FailedSeed[] = isReplay ? [] : readFailedSeeds(TABLE);

/** Adds the seed to the table, and returns the message to print. */
export function keepFailure({ seed, problem = "", failure = "" }: Report, table = TABLE): string {
  return `${failure}\n(${keepFailedSeed(table, { seed, problem })})`;
}
