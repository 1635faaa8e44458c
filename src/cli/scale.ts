/** "tally scale": how many items of a run are worked on at a time. */
import { scaleRun } from "../run/control.ts";
import { openRuns } from "../run/open-runs.ts";
import type { Machine } from "./machine.ts";
import { readParallelism } from "./run-flags.ts";

export interface ScaleFlags {
  readonly jobs: string;
  readonly data?: string;
}

export async function scale(name: string, flags: ScaleFlags, machine: Machine): Promise<void> {
  const asked = readParallelism(flags, machine.processors);
  const runs = await openRuns(flags, machine);
  try {
    const wanted = Number.isFinite(asked) ? asked : ALL;
    const { spec } = await scaleRun(runs.client, { namespace: "default", name }, wanted);
    machine.writeOut(`${name}: ${wanted} at a time${spec.parallelism === 0 ? ", paused" : ""}\n`);
  } finally {
    await runs.close();
  }
}

/** What -j 0 stands for. */
const ALL = 10_000;
