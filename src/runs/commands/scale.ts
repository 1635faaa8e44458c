/** "tally scale": changes how many items of a run are processed at a time. */
import type { Machine } from "../../command/machine.ts";
import { readParallelism } from "../compose/run-flags.ts";
import { scaleRun } from "../follow/control.ts";
import { openToChange } from "../host/open-host.ts";
import { MAX_TASKS } from "../host/own-engine.ts";
import type { HostFlags } from "../host/run-host.ts";

export interface ScaleFlags extends HostFlags {
  readonly jobs: string;
}

export async function scale(name: string, flags: ScaleFlags, machine: Machine): Promise<void> {
  const asked = readParallelism(flags, machine.processors);
  // -j 0 means all items at once.
  const wanted = Number.isFinite(asked) ? asked : MAX_TASKS;
  const host = await openToChange(flags, machine);
  try {
    const client = await host.clientOf(name);
    const { spec } = await scaleRun(client, { namespace: host.namespace, name }, wanted);
    machine.writeOut(`${name}: ${wanted} at a time${spec.parallelism === 0 ? ", paused" : ""}\n`);
  } finally {
    await host.close();
  }
}
