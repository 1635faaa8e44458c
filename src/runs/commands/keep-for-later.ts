/** "tally run --asTemplate" and "--runAt": stores a run for workflows, or for a later time. */
import type { Client } from "../../api/client.ts";
import type { ScheduledJob } from "../../api/generated/tallyjob.ts";
import { jobs, scheduledJobs } from "../../api/resources.ts";
import { parseTime } from "../../api/time.ts";
import { UsageError } from "../../base/usage-error.ts";
import { watchUntil } from "../../client/watch-until.ts";
import { CommandFailure } from "../../command/command-failure.ts";
import type { Machine } from "../../command/machine.ts";
import { composeScheduled, composeTemplate, type KeepableRun } from "../compose/compose-kept.ts";
import type { RequestedRun } from "../compose/requested-run.ts";
import type { RunCommandFlags } from "../compose/run-flags.ts";
import type { CreatedRun } from "../follow/follow-run.ts";
import { runInForeground } from "../follow/foreground.ts";
import { runDirectory } from "../host/data-directory.ts";
import { openToRun } from "../host/open-host.ts";
import type { EngineHost } from "../host/run-host.ts";
import { itemNames } from "../list/stored-items.ts";
import { keepRun, replaceKept } from "../submit/store-for-later.ts";

export async function keepForLater(
  requested: RequestedRun,
  flags: RunCommandFlags,
  machine: Machine,
): Promise<number> {
  const run = keepable(requested);
  if (flags.runAt === undefined) return keepTemplate(run, flags, machine);
  if (flags.asTemplate) {
    throw new UsageError("--asTemplate and --runAt exclude each other: a template has no time");
  }
  const composed = composeScheduled(run, {
    name: scheduledName(requested),
    runAt: timeOf(flags.runAt),
  });
  const keep = async (client: Client): Promise<ScheduledJob> => {
    const made = await keepRun(client, composed);
    machine.writeOut(`created "scheduledJob/${made.metadata.name}"\n`);
    return made;
  };
  const { isServerRunning } = await import("../host/other-engine.ts");
  if (await isServerRunning(runDirectory(flags, machine.workingDirectory))) {
    return withHost(flags, machine, keep);
  }
  // Without a server this process has to start the Job when the time comes.
  let kept: ScheduledJob | undefined;
  const create = async ({ client }: EngineHost): Promise<CreatedRun> => {
    if (!kept) {
      kept = await keep(client);
      machine.writeError(`tally: ${kept.metadata.name}: waiting until ${flags.runAt}${LEAVING}\n`);
    }
    const { namespace = "", name = "" } = kept.metadata;
    const started = await untilStarted(client, { namespace, name });
    const job = await client.get(jobs, { namespace, name: started });
    return { job, itemAt: itemNames(requested.list) };
  };
  for (;;) {
    try {
      return await runInForeground(() => openToRun(flags, machine), create, flags, machine);
    } catch (error) {
      // The engine belonged to a run that ended before the time came: use the next engine.
      if (!(error instanceof EngineGone)) throw error;
    }
  }
}

class EngineGone extends CommandFailure {}

const LEAVING = "; it is stored: Ctrl-C leaves it to the next engine of the directory";

function keepTemplate(run: KeepableRun, flags: RunCommandFlags, machine: Machine): Promise<number> {
  const kept = composeTemplate(run);
  return withHost(flags, machine, async (client) => {
    const { metadata } = await (flags.replace ? replaceKept : keepRun)(client, kept);
    machine.writeOut(`created "jobTemplate/${metadata.name}"\n`);
  });
}

async function withHost(
  flags: RunCommandFlags,
  machine: Machine,
  act: (client: Client) => Promise<unknown>,
): Promise<number> {
  const host = await openToRun(flags, machine);
  try {
    await act(host.client);
    return 0;
  } finally {
    await host.close();
  }
}

function keepable({ job, support, request }: RequestedRun): KeepableRun {
  if (!request) {
    throw new UsageError(
      "--asTemplate and --runAt are for commands: write a JobTemplate or a ScheduledJob instead",
    );
  }
  return { job, support };
}

/** "process-files-37dt3": a run can be scheduled several times. */
function scheduledName({ job, request }: RequestedRun): string {
  const { name = "" } = job.metadata;
  return request?.name === undefined ? name : `${name}-${request.suffix}`;
}

function timeOf(text: string): string {
  if (!("problem" in parseTime(text))) return text;
  throw new UsageError(
    `--runAt must be a time such as 2026-07-21T14:00:00Z, not ${JSON.stringify(text)}`,
  );
}

/** Resolves with the name of the Job that was started. */
async function untilStarted(
  client: Client,
  place: { readonly namespace: string; readonly name: string },
): Promise<string> {
  const { namespace, name } = place;
  const selecting = { namespace, fieldSelector: `metadata.name=${name}` };
  const { items, resourceVersion } = await client.list(scheduledJobs, selecting);
  const known = items[0]?.status.job?.name;
  if (known !== undefined) return known;
  const started = await watchUntil(
    client,
    scheduledJobs,
    { ...selecting, resourceVersion },
    ({ type, object: { status } }) => {
      if (status.job) return status.job.name;
      if (status.phase !== "Missed" && type !== "DELETED") return undefined;
      throw new CommandFailure(`tally run: ${name} was not started`);
    },
  );
  if (started !== undefined) return started;
  throw new EngineGone(`the engine that was to start ${name} has gone`);
}
