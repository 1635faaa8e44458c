/** "tally list": lists the runs of a data directory or a cluster. */
import { UsageError } from "../../base/usage-error.ts";
import type { Machine } from "../../command/machine.ts";
import { alignTabs } from "../../command/tabbed-text.ts";
import { openToRead } from "../host/open-host.ts";
import type { HostFlags } from "../host/run-host.ts";
import { countFailed } from "../show/count-items.ts";
import { byAge, LIST_HEADINGS, listRow } from "../show/list-table.ts";
import { notRunOf, type RunState, runStateOf } from "../show/run-state.ts";

export interface ListFlags extends HostFlags {
  readonly output?: string;
}

export async function list(
  flags: ListFlags,
  machine: Machine,
  nowMs: number = Date.now(),
): Promise<void> {
  const { output = "" } = flags;
  if (!["", "json", "name"].includes(output)) {
    throw new UsageError(`--output must be json or name, not ${JSON.stringify(output)}`);
  }
  const host = await openToRead(flags, machine);
  try {
    const isLive = await host.isLive();
    const states: RunState[] = [];
    for (const job of await host.listRuns()) {
      const state = runStateOf(job, isLive);
      states.push({ ...state, failed: await countFailed(host, job, state) });
    }
    states.sort(byAge);
    if (output === "name") machine.writeOut(states.map(({ name }) => `${name}\n`).join(""));
    else if (output === "json") machine.writeOut(`${JSON.stringify(described(states), null, 2)}\n`);
    else if (states.length === 0) machine.writeOut("There are no runs.\n");
    else {
      const rows = [LIST_HEADINGS, ...states.map((state) => listRow(state, nowMs))];
      machine.writeOut(alignTabs(rows.map((cells) => cells.join("\t"))));
    }
  } finally {
    await host.close();
  }
}

function described(states: readonly RunState[]): readonly object[] {
  return states.map((state) => ({ ...state, notRun: notRunOf(state) }));
}
