/** The table of seeds that once broke a law, with the shortest history found for each. */
import { keepFailedSeed, readFailedSeeds } from "../support/failed-seeds.ts";
import { projectFile } from "../support/project-file.ts";
import { type BrokenLaw, describeBroken } from "./portion.ts";

const TABLE = projectFile("test/job-laws/failed-seeds.jsonl");

export function onceBroken(): readonly BrokenLaw[] {
  return readFailedSeeds<BrokenLaw>(TABLE);
}

/** Adds the seed to the table, and returns the message to print. */
export function keepBroken(broken: BrokenLaw): string {
  return `${describeBroken(broken)}\n(${keepFailedSeed(TABLE, broken)})`;
}
