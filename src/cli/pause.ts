/** "tally pause": no more items of a run are started. */
import { pauseRun } from "../run/control.ts";
import { openRuns } from "../run/open-runs.ts";
import { shellWord } from "../run/words.ts";
import type { Machine } from "./machine.ts";

export async function pause(
  name: string,
  flags: { readonly data?: string },
  machine: Machine,
): Promise<void> {
  const runs = await openRuns(flags, machine);
  try {
    await pauseRun(runs.client, { namespace: "default", name });
    const where = flags.data === undefined ? "" : ` --data ${shellWord(flags.data)}`;
    machine.writeOut(`${name}: paused; go on with: tally resume ${name}${where}\n`);
  } finally {
    await runs.close();
  }
}
