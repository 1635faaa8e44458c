/** "tally pause": starts no more items of a run. */
import type { Machine } from "../../command/machine.ts";
import { canDrain, pauseRun } from "../follow/control.ts";
import { openToChange, sameFlags } from "../host/open-host.ts";
import type { HostFlags } from "../host/run-host.ts";

export async function pause(name: string, flags: HostFlags, machine: Machine): Promise<void> {
  const host = await openToChange(flags, machine);
  try {
    const job = await pauseRun(await host.clientOf(name), { namespace: host.namespace, name });
    const lost = canDrain(job) ? "" : ", and what ran is ended and will be run again";
    machine.writeOut(
      `${name}: paused${lost}; go on with: tally resume ${name}${sameFlags(flags)}\n`,
    );
  } finally {
    await host.close();
  }
}
