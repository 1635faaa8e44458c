/** "tally run --asTemplate" and "--runAt": the same run, kept for workflows or for a time. */
import type { Client } from "../../api/client.ts";
import type { ScheduledJob } from "../../api/generated/tallyjob.ts";
import { jobs, scheduledJobs } from "../../api/resources.ts";
import { parseTime } from "../../api/time.ts";
import { UsageError } from "../../base/usage-error.ts";
import { CommandFailure } from "../../command/command-failure.ts";
import type { Machine } from "../../command/machine.ts";
import type { AskedRun, RunCommandFlags } from "../compose/asked-run.ts";
import { composeScheduled, composeTemplate, type KeepableRun } from "../compose/compose-kept.ts";
import type { PreparedRun } from "../follow/conduct-run.ts";
import { isEngineLasting } from "../host/lasting-engine.ts";
import { reachEngine } from "../host/reach-engine.ts";
import { runDirectory } from "../host/run-directory.ts";
import { reachingRunEngine } from "../host/run-engine.ts";
import { keepRun, replaceKept } from "../submit/keep-run.ts";
import { itemNames } from "../submit/stored-items.ts";

/** Carries a run that has begun to its end in the foreground. */
export type Conduct = (prepare: (engine: Engine) => Promise<PreparedRun>) => Promise<void>;

interface Engine {
  readonly client: Client;
}

export async function keepAsked(
  asked: AskedRun,
  flags: RunCommandFlags,
  machine: Machine,
  conduct: Conduct,
): Promise<void> {
  const run = keepable(asked);
  if (flags.runAt === undefined) return keepTemplate(run, flags, machine);
  if (flags.asTemplate) {
    throw new UsageError("--asTemplate and --runAt exclude each other: a template has no time");
  }
  const composed = composeScheduled(run, {
    name: scheduledName(asked),
    runAt: timeOf(flags.runAt),
  });
  const keep = async (client: Client): Promise<ScheduledJob> => {
    const made = await keepRun(client, composed);
    machine.writeOut(`created "scheduledJob/${made.metadata.name}"\n`);
    return made;
  };
  const dataDir = runDirectory(flags, machine.workingDirectory);
  if (await isEngineLasting(dataDir)) return withEngine(dataDir, keep);
  // Nobody else is there when the time comes.
  let kept: ScheduledJob | undefined;
  const prepare = async ({ client }: Engine): Promise<PreparedRun> => {
    if (!kept) {
      kept = await keep(client);
      machine.writeError(`tally: ${kept.metadata.name}: waiting until ${flags.runAt}${LEAVING}\n`);
    }
    const { namespace = "", name = "" } = kept.metadata;
    const started = await untilStarted(client, { namespace, name });
    const job = await client.get(jobs, { namespace, name: started });
    return { job, itemAt: itemNames({ list: asked.list }) };
  };
  await untilReached(() => conduct(prepare));
}

/** The engine may be that of a run which is over before the time has come: the next is ours. */
async function untilReached(act: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof EngineGone)) throw error;
    }
  }
}

class EngineGone extends CommandFailure {}

const LEAVING = "; it is stored: Ctrl-C leaves it to the next engine of the directory";

async function keepTemplate(
  run: KeepableRun,
  flags: RunCommandFlags,
  machine: Machine,
): Promise<void> {
  const kept = composeTemplate(run);
  const dataDir = runDirectory(flags, machine.workingDirectory);
  await withEngine(dataDir, async (client) => {
    const { metadata } = await (flags.replace ? replaceKept : keepRun)(client, kept);
    machine.writeOut(`created "jobTemplate/${metadata.name}"\n`);
  });
}

async function withEngine(
  dataDir: string,
  act: (client: Client) => Promise<unknown>,
): Promise<void> {
  const engine = await reachEngine(await reachingRunEngine(dataDir));
  try {
    await act(engine.client);
  } finally {
    await engine.close();
  }
}

function keepable({ job, support, request }: AskedRun): KeepableRun {
  if (!request) {
    throw new UsageError(
      "--asTemplate and --runAt are for commands: write a JobTemplate or a ScheduledJob instead",
    );
  }
  return { job, support };
}

/** As the document has it: "process-files-37dt3". */
function scheduledName({ job, request }: AskedRun): string {
  const { name = "" } = job.metadata;
  return request?.name === undefined ? name : `${name}-${request.suffix}`;
}

function timeOf(text: string): string {
  if (!("problem" in parseTime(text))) return text;
  throw new UsageError(
    `--runAt must be a time such as 2026-07-21T14:00:00Z, not ${JSON.stringify(text)}`,
  );
}

/** The name of the Job. */
async function untilStarted(
  client: Client,
  place: { readonly namespace: string; readonly name: string },
): Promise<string> {
  const { namespace, name } = place;
  const selecting = { namespace, fieldSelector: `metadata.name=${name}` };
  const { items, resourceVersion } = await client.list(scheduledJobs, selecting);
  const known = items[0]?.status.job?.name;
  if (known !== undefined) return known;
  return new Promise((resolve, reject) => {
    const watch = client.watch(
      scheduledJobs,
      { ...selecting, resourceVersion },
      {
        onEvent: ({ type, object }) => {
          const { job, phase } = object.status;
          if (job === undefined && phase !== "Missed" && type !== "DELETED") return;
          watch.close();
          if (job) resolve(job.name);
          else reject(new CommandFailure(`tally run: ${name} was not started`));
        },
        onEnd: () => reject(new EngineGone(`the engine that was to start ${name} has gone`)),
      },
    );
  });
}
