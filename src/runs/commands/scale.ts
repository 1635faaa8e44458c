/** "tally scale": how many items of a run are worked on at a time. */

import type { Machine } from "../../command/machine.ts";
import { readParallelism } from "../compose/run-flags.ts";
import { scaleRun } from "../follow/control.ts";
import type { PlaceFlags } from "../host/on-cluster.ts";
import { openToChange } from "../host/opened-runs.ts";

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
