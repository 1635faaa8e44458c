/** "tally scale": how many items of a run are worked on at a time. */
import { scaleRun } from "../run/control.ts";
import type { Machine } from "./machine.ts";
import { readParallelism } from "./run-flags.ts";
import type { PlaceFlags } from "./runs/on-cluster.ts";
import { openToChange } from "./runs/opened-runs.ts";

export interface ScaleFlags extends PlaceFlags {
  readonly jobs: string;
}

export async function scale(name: string, flags: ScaleFlags, machine: Machine): Promise<void> {
  const asked = readParallelism(flags, machine.processors);
  const { client, namespace, close } = await openToChange(name, flags, machine);
  try {
    const wanted = Number.isFinite(asked) ? asked : ALL;
    const { spec } = await scaleRun(client, { namespace, name }, wanted);
    machine.writeOut(`${name}: ${wanted} at a time${spec.parallelism === 0 ? ", paused" : ""}\n`);
  } finally {
    await close();
  }
}

/** What -j 0 stands for. */
const ALL = 10_000;
