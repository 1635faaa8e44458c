/** "tally pause": no more items of a run are started. */
import { canDrain, pauseRun } from "../run/control.ts";
import type { Machine } from "./machine.ts";
import type { PlaceFlags } from "./runs/on-cluster.ts";
import { openToChange } from "./runs/opened-runs.ts";
import { sameFlags } from "./runs/stored.ts";

export async function pause(name: string, flags: PlaceFlags, machine: Machine): Promise<void> {
  const { client, namespace, close } = await openToChange(name, flags, machine);
  try {
    const job = await pauseRun(client, { namespace, name });
    const lost = canDrain(job) ? "" : ", and what ran is ended and will be run again";
    machine.writeOut(
      `${name}: paused${lost}; go on with: tally resume ${name}${sameFlags(flags)}\n`,
    );
  } finally {
    await close();
  }
}
