/**
 * Runs the world of one seed until nothing is left to do, and reports what was wrong, if anything.
 */

import type { Job } from "../../src/api/generated/batch.ts";
import { describeJob } from "./describe.ts";
import { World } from "./world.ts";

export interface Report {
  readonly seed: number;
  /** A hash of the trace of everything that happened. */
  readonly hash: string;
  /** The kinds of things that happened. */
  readonly seen: ReadonlySet<string>;
  /** Absent if nothing was wrong: the problem, and the history that led to it. */
  readonly problem?: string;
  readonly failure?: string;
}

export async function simulate(seed: number): Promise<Report> {
  const world = new World(seed);
  const { problems, seen } = world;
  try {
    await world.run();
  } catch (error) {
    // The error alone does not name the seed; the report does.
    problems.push({ job: "", text: `the world threw: ${describeThrown(error)}` });
  }
  const hash = world.trace.hash();
  const [problem] = problems;
  if (!problem) return { seed, hash, seen };
  return { seed, hash, seen, problem: problem.text, failure: explain(world, seed, problem) };
}

function describeThrown(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function explain(world: World, seed: number, problem: World["problems"][number]): string {
  const jobs = world.history.entries.filter(({ object }) => object.kind === "Job");
  const job = jobs.findLast(({ object }) => object.metadata.name === problem.job)?.object as Job;
  return [
    `seed ${seed}: ${problem.text}`,
    `replay with: SEED=${seed} npx vitest run test/simulation`,
    "",
    world.trace.tail(problem.job),
    "",
    job ? JSON.stringify({ ...job.spec, template: undefined }) : "",
    job ? describeJob(job) : "",
  ].join("\n");
}
