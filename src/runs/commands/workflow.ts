/** "tally create-workflow", and pausing, resuming and retrying Workflows. */
import type { Client, Name } from "../../api/client.ts";
import type { Workflow, WorkflowSpec, WorkflowStep } from "../../api/generated/tallyjob.ts";
import { workflows } from "../../api/resources.ts";
import { UsageError } from "../../base/usage-error.ts";
import type { Machine } from "../../command/machine.ts";
import {
  followWorkflow,
  hold,
  release,
  retryWorkflow as retrySteps,
  type WorkflowEnd,
} from "../follow/follow-workflow.ts";
import { runDirectory } from "../host/data-directory.ts";
import { openToChange, openToRun } from "../host/open-host.ts";
import { DEFAULT_NAMESPACE } from "../host/run-host.ts";
import { INTERRUPTED, SOME_FAILED } from "../show/summary.ts";

export interface WorkflowFlags {
  readonly data?: string;
  readonly namespace?: string;
  readonly quiet?: boolean;
}

export interface CreateWorkflowFlags extends WorkflowFlags {
  readonly job?: readonly string[];
  readonly dependency?: readonly string[];
}

export async function createWorkflow(
  name: string,
  flags: CreateWorkflowFlags,
  machine: Machine,
): Promise<number> {
  const workflow: Workflow = {
    apiVersion: "tallyjob.io/v1alpha1",
    kind: "Workflow",
    metadata: { name, namespace: flags.namespace ?? DEFAULT_NAMESPACE },
    spec: readSpec(flags),
    status: {},
  };
  return createAndFollow(name, flags, machine, async (client) => {
    const created = await client.create(workflows, workflow);
    // It must be on disk before the user is told.
    await client.durable(created.metadata.resourceVersion ?? "");
    machine.writeOut(`created "workflow/${name}"\n`);
    return created;
  });
}

export async function resumeWorkflow(
  name: string,
  flags: WorkflowFlags,
  machine: Machine,
): Promise<number> {
  return createAndFollow(name, flags, machine, (client) => release(client, placeOf(name, flags)));
}

export async function retryWorkflow(
  name: string,
  flags: WorkflowFlags,
  machine: Machine,
): Promise<number> {
  return createAndFollow(name, flags, machine, (client) =>
    retrySteps(client, placeOf(name, flags)),
  );
}

export async function pauseWorkflow(
  name: string,
  flags: WorkflowFlags,
  machine: Machine,
): Promise<number> {
  const host = await openToChange(flags, machine);
  try {
    await hold(host.client, placeOf(name, flags));
    machine.writeOut(`workflow/${name}: paused; go on with: tally resume workflow/${name}\n`);
    return 0;
  } finally {
    await host.close();
  }
}

function placeOf(name: string, { namespace = DEFAULT_NAMESPACE }: WorkflowFlags): Name {
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

/** A running server carries the Workflow out. Without one this process does, until it is done. */
async function createAndFollow(
  name: string,
  flags: WorkflowFlags,
  machine: Machine,
  create: (client: Client) => Promise<Workflow>,
): Promise<number> {
  const { isServerRunning } = await import("../host/other-engine.ts");
  if (await isServerRunning(runDirectory(flags, machine.workingDirectory))) {
    const host = await openToChange(flags, machine);
    await create(host.client).finally(() => host.close());
    return 0;
  }
  const print = (text: string) => {
    if (!flags.quiet) machine.writeError(`tally: ${name}: ${text}\n`);
  };
  const startMs = performance.now();
  const host = await openToRun(flags, machine);
  const { end, workflow } = await followWorkflow(host, {
    create,
    onNews: (_, changed) => {
      for (const step of changed) if (step.state !== "Pending") print(stepText(step));
    },
    listen: (stop) => listen(stop, machine, print),
  }).finally(() => host.close());
  print(endText(end, workflow, performance.now() - startMs));
  if (end === "stopped") return INTERRUPTED;
  return end === "Complete" ? 0 : SOME_FAILED;
}

/** The first signal starts no more steps; the second leaves the running ones behind. */
function listen(stop: () => void, machine: Machine, print: (text: string) => void): () => void {
  let isAsked = false;
  return machine.onSignal(() => {
    if (isAsked) machine.exit(INTERRUPTED);
    isAsked = true;
    print("stopping: no more steps begin, those that run finish (Ctrl-C again leaves them behind)");
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
