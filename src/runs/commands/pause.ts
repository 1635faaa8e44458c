/** "tally pause": no more items of a run are started. */

import type { Machine } from "../../command/machine.ts";
import { canDrain, pauseRun } from "../follow/control.ts";
import type { PlaceFlags } from "../host/on-cluster.ts";
import { openToChange } from "../host/opened-runs.ts";
import { sameFlags } from "../host/stored.ts";

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
