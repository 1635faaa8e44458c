/**
 * A table in the project of seeds that failed once: one JSON object per line. Random runs append to
 * it, and every later `npm test` replays it, so that a rare failure is not lost with the output of
 * the run that found it.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { projectFile } from "./project-file.ts";

export interface FailedSeed {
  readonly seed: number;
  /** The problem, as reported when the seed was found. */
  readonly problem: string;
  /** The cause of the problem, added by the person who fixed it. */
  readonly cause?: string;
}

export function readFailedSeeds<Row extends FailedSeed>(file: string): Row[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line.trim() !== "").map((line) => JSON.parse(line));
}

/** Returns where the seed is stored now, for the failure message. */
export function keepFailedSeed(file: string, row: FailedSeed): string {
  const name = path.relative(projectFile("."), file);
  const isKnown = readFailedSeeds(file).some(
    ({ seed, problem }) => seed === row.seed && problem === row.problem,
  );
  if (isKnown) return `listed in ${name} before`;
  try {
    appendFileSync(file, `${JSON.stringify(row)}\n`);
    return `added to ${name}`;
  } catch (error) {
    return `NOT added to ${name}: ${String(error)}`;
  }
}
