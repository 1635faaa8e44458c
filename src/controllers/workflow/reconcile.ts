/**
 * One reconcile of a Workflow: reads the results of its Jobs, starts the steps that are ready, and
 * writes the status once. Starting a step means creating its Job under a predetermined name, so
 * that after a crash at any point, the next reconcile repeats the same calls and finds existing
 * Jobs.
 */
import type { Client } from "../../api/client.ts";
import { isEqual } from "../../api/equal.ts";
import type { Job, JobTemplateSpec } from "../../api/generated/batch.ts";
import type { Workflow, WorkflowStatus, WorkflowStep } from "../../api/generated/tallyjob.ts";
import { jobs, jobTemplates, workflows } from "../../api/resources.ts";
import { formatTime } from "../../api/time.ts";
import { describeError } from "../../base/describe-error.ts";
import { findObject, isNotFound } from "../../client/find.ts";
import { startJob } from "../jobtemplate/start-job.ts";
import type { Hands } from "../jobtemplate/start-job-maker.ts";
import { after, done, type Outcome } from "../runtime/outcome.ts";
import { decideWorkflow, runningJobs, type StepStart, type Steps } from "./decide.ts";
import type { Plan } from "./plan.ts";
import { composeStatus, invalidStatus } from "./status.ts";
import { jobWishes, withoutExpiry } from "./step-job.ts";

/**
 * Limited, so that a wide Workflow does not delay others and little is repeated after a failure.
 */
const STARTS_AT_ONCE = 100;

export async function reconcile(hands: Hands, workflow: Workflow, plan: Plan): Promise<Outcome> {
  if (workflow.metadata.deletionTimestamp !== undefined) return done;
  const now = formatTime(hands.clock.nowMs());
  if (plan.kind === "impossible") {
    await writeStatus(hands, workflow, invalidStatus(workflow, plan.problem, now));
    return done;
  }
  const found = await observeJobs(hands, workflow);
  const { graph } = plan;
  const decision = decideWorkflow({ workflow, graph, jobs: found, now });
  const batch = decision.starts.slice(0, STARTS_AT_ONCE);
  const { begun, problem } = await begin(hands, workflow, batch, now);
  const steps: Steps = decision.steps.map((step, at) => begun.get(at) ?? step);
  const status = composeStatus(workflow, steps, now);
  await writeStatus(hands, workflow, status);
  tell(hands, workflow, decision.failures, status);
  if (problem) throw problem;
  return batch.length < decision.starts.length ? after(0) : done;
}

/**
 * The cache may be behind this controller's own writes, so a Job that is not cached is read from
 * the server.
 */
async function observeJobs(hands: Hands, workflow: Workflow): Promise<ReadonlyMap<string, Job>> {
  const { namespace = "" } = workflow.metadata;
  const found = new Map<string, Job>();
  for (const name of runningJobs(workflow)) {
    const job =
      hands.jobs.get(namespace, name) ??
      (await findObject(hands.client, jobs, { namespace, name }));
    if (job) found.set(name, job);
  }
  return found;
}

interface Begun {
  /** By position in the spec. */
  readonly begun: ReadonlyMap<number, WorkflowStep>;
  /** Why some steps could not start. */
  readonly problem?: Error;
}

async function begin(
  hands: Hands,
  workflow: Workflow,
  starts: readonly StepStart[],
  now: string,
): Promise<Begun> {
  const begun = new Map<number, WorkflowStep>();
  const results = await Promise.allSettled(
    starts.map(async (start) => {
      begun.set(start.at, await beginStep(hands, workflow, start, now));
    }),
  );
  const failed = results.find((result) => result.status === "rejected");
  if (!failed) return { begun };
  const message = `Error creating job: ${describeError(failed.reason)}`;
  hands.recorder.event(workflow, "Warning", "FailedCreate", message);
  return { begun, problem: new Error("start a step", { cause: failed.reason }) };
}

async function beginStep(
  { client }: Hands,
  workflow: Workflow,
  start: StepStart,
  now: string,
): Promise<WorkflowStep> {
  const template = withoutExpiry(await templateOf(client, workflow, start.at));
  const { metadata } = await startJob(client, template, jobWishes(workflow, start));
  const { name = "", creationTimestamp: startTime = now } = metadata;
  const step = workflow.spec.jobs?.[start.at]?.name ?? "";
  const attempt = start.attempt > 0 ? { attempt: start.attempt } : {};
  return { name: step, state: "Running", job: name, ...attempt, startTime: startTime ?? now };
}

async function templateOf(
  client: Client,
  { metadata, spec }: Workflow,
  at: number,
): Promise<JobTemplateSpec> {
  const { template, templateRef } = spec.jobs?.[at] ?? {};
  if (template) return template;
  const { namespace = "" } = metadata;
  const { name = "" } = templateRef ?? {};
  return (await client.get(jobTemplates, { namespace, name })).spec.template;
}

async function writeStatus(
  { client }: Hands,
  workflow: Workflow,
  status: WorkflowStatus,
): Promise<void> {
  if (isEqual(workflow.status, status)) return;
  try {
    await client.updateStatus(workflows, { ...workflow, status });
  } catch (error) {
    // If the Workflow was deleted in the meantime, there is no status to write.
    if (!isNotFound(error)) throw error;
  }
}

function tell(
  { recorder }: Hands,
  workflow: Workflow,
  failures: readonly WorkflowStep[],
  status: WorkflowStatus,
): void {
  for (const { name, message = "" } of failures) {
    recorder.event(workflow, "Warning", "StepFailed", `Step ${name} failed: ${message}`);
  }
  const { phase } = status;
  if (phase === workflow.status.phase || (phase !== "Complete" && phase !== "Failed")) return;
  const verdict = status.conditions?.find(({ type }) => type === phase);
  const type = phase === "Complete" ? "Normal" : "Warning";
  recorder.event(
    workflow,
    type,
    phase === "Complete" ? "Completed" : "Failed",
    verdict?.message ?? "",
  );
}
