/** Runs the world of one seed to its rest, and says what was wrong with it, if anything. */

import type { Job } from "../../src/api/generated/batch.ts";
import { describeJob } from "./describe.ts";
import { World } from "./world.ts";

export interface Report {
  readonly seed: number;
  /** The trace of everything that happened, in short. */
  readonly hash: string;
  /** What happened in it, in short. */
  readonly seen: ReadonlySet<string>;
  /** Absent when everything was as it must be. */
  readonly failure?: string;
}

export async function simulate(seed: number): Promise<Report> {
  const world = new World(seed);
  await world.run();
  const hash = world.trace.hash();
  const { problems, seen } = world;
  const [problem] = problems;
  if (!problem) return { seed, hash, seen };
  return { seed, hash, seen, failure: explain(world, seed, problem) };
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
