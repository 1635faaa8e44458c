/** "tally create-workflow" and what can be asked of a Workflow: to pause, go on, and retry. */
import type { Client, Name } from "../../api/client.ts";
import type { Workflow, WorkflowSpec, WorkflowStep } from "../../api/generated/tallyjob.ts";
import { workflows } from "../../api/resources.ts";
import { UsageError } from "../../base/usage-error.ts";
import { CommandFailure } from "../../command/command-failure.ts";
import type { Machine } from "../../command/machine.ts";
import {
  conductWorkflow,
  hold,
  release,
  retryWorkflow as runFailedAgain,
  type WorkflowEnd,
} from "../follow/conduct-workflow.ts";
import { isEngineLasting } from "../host/lasting-engine.ts";
import { openRuns } from "../host/open-runs.ts";
import { runDirectory } from "../host/run-directory.ts";
import { reachingRunEngine } from "../host/run-engine.ts";
import { INTERRUPTED } from "../show/summary.ts";

export interface WorkflowFlags {
  readonly data?: string;
  readonly namespace?: string;
  readonly quiet?: boolean;
}

export interface CreateWorkflowFlags extends WorkflowFlags {
  readonly job?: readonly string[];
  readonly dependency?: readonly string[];
}

const NAMESPACE = "default";
const FAILED = 1;

export async function createWorkflow(
  name: string,
  flags: CreateWorkflowFlags,
  machine: Machine,
): Promise<void> {
  const workflow: Workflow = {
    apiVersion: "tallyjob.io/v1alpha1",
    kind: "Workflow",
    metadata: { name, namespace: flags.namespace ?? NAMESPACE },
    spec: readSpec(flags),
    status: {},
  };
  await carryOut(name, flags, machine, async (client) => {
    const created = await client.create(workflows, workflow);
    // Whoever reads that it was created may rely on it.
    await client.durable(created.metadata.resourceVersion ?? "");
    machine.writeOut(`created "workflow/${name}"\n`);
    return created;
  });
}

export async function resumeWorkflow(
  name: string,
  flags: WorkflowFlags,
  machine: Machine,
): Promise<void> {
  await carryOut(name, flags, machine, (client) => release(client, placeOf(name, flags)));
}

export async function retryWorkflow(
  name: string,
  flags: WorkflowFlags,
  machine: Machine,
): Promise<void> {
  await carryOut(name, flags, machine, (client) => runFailedAgain(client, placeOf(name, flags)));
}

export async function pauseWorkflow(
  name: string,
  flags: WorkflowFlags,
  machine: Machine,
): Promise<void> {
  const runs = await openRuns(flags, machine);
  try {
    await hold(runs.client, placeOf(name, flags));
    machine.writeOut(`workflow/${name}: paused; go on with: tally resume workflow/${name}\n`);
  } finally {
    await runs.close();
  }
}

function placeOf(name: string, { namespace = NAMESPACE }: WorkflowFlags): Name {
  return { namespace, name };
}

function readSpec({ job: given = [], dependency = [] }: CreateWorkflowFlags): WorkflowSpec {
  if (given.length === 0) throw new UsageError("give the steps: --job=jobTemplate/NAME");
  const dependencies = dependency.map(readDependency);
  return {
    jobs: given.map(readJob),
    ...(dependencies.length > 0 ? { dependencies } : {}),
  };
}

/** "jobTemplate/process-files", or with another name "first=jobTemplate/process-files". */
function readJob(text: string) {
  const [, step, template = ""] = /^(?:([^=/]+)=)?jobtemplates?\/(.+)$/i.exec(text) ?? [];
  if (template !== "") return { name: step ?? template, templateRef: { name: template } };
  throw new UsageError(
    `--job must be jobTemplate/NAME or STEP=jobTemplate/NAME, not ${JSON.stringify(text)}`,
  );
}

function readDependency(text: string) {
  const [, before, after] = /^([^:]+):([^:]+)$/.exec(text) ?? [];
  if (before !== undefined && after !== undefined) return { before, after };
  throw new UsageError(`--dependency must be BEFORE:AFTER, not ${JSON.stringify(text)}`);
}

/** What a server is told it sees to; without one we are the engine, and stay until it is done. */
async function carryOut(
  name: string,
  flags: WorkflowFlags,
  machine: Machine,
  prepare: (client: Client) => Promise<Workflow>,
): Promise<void> {
  const dataDir = runDirectory(flags, machine.workingDirectory);
  if (await isEngineLasting(dataDir)) {
    const runs = await openRuns(flags, machine);
    await prepare(runs.client).finally(() => runs.close());
    return;
  }
  const say = (text: string) => {
    if (!flags.quiet) machine.writeError(`tally: ${name}: ${text}\n`);
  };
  const startMs = performance.now();
  const { end, workflow } = await conductWorkflow({
    reaching: await reachingRunEngine(dataDir),
    prepare,
    onNews: (_, changed) => {
      for (const step of changed) if (step.state !== "Pending") say(stepText(step));
    },
    listen: (stop) => listen(stop, machine, say),
  });
  say(endText(end, workflow, performance.now() - startMs));
  if (end === "stopped") throw new CommandFailure("", INTERRUPTED);
  if (end !== "Complete") throw new CommandFailure("", FAILED);
}

/** The first time nothing more begins, the second we leave, and whatever runs goes on. */
function listen(stop: () => void, machine: Machine, say: (text: string) => void): () => void {
  let isAsked = false;
  return machine.onSignal(() => {
    if (isAsked) machine.exit(INTERRUPTED);
    isAsked = true;
    say("stopping: no more steps begin, those that run finish (Ctrl-C again leaves them behind)");
    stop();
  });
}

function stepText({ name, state, job, message }: WorkflowStep): string {
  const why = message === undefined ? "" : `: ${message}`;
  return state === "Running" ? `${name} is running as ${job}` : `${name} ${WORDS[state]}${why}`;
}

const WORDS: { readonly [state: string]: string } = {
  Succeeded: "succeeded",
  Failed: "failed",
  Skipped: "is skipped",
};

function endText(end: WorkflowEnd, { metadata, status }: Workflow, tookMs: number): string {
  const { succeeded = 0, total = 0, failed = 0, skipped = 0 } = status;
  const { name } = metadata;
  const counts = [
    `${succeeded} of ${total} steps succeeded`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ].join(", ");
  switch (end) {
    case "gone":
      return "deleted";
    case "stopped":
      return `stopped, ${counts}; go on with: tally resume workflow/${name}`;
    case "Failed":
      return `${counts}; run what failed again with: tally retry workflow/${name}`;
    case "Complete":
      return `${counts} in ${(tookMs / 1000).toFixed(1)}s`;
  }
}
