/** Pure: derives the state of the steps of a Workflow, and decides which to start. */
import type { Job } from "../../api/generated/batch.ts";
import type { Workflow, WorkflowStep } from "../../api/generated/tallyjob.ts";
import type { WorkflowGraph } from "../../api/workflow-graph.ts";
import { endOf } from "../jobtemplate/new-job.ts";

export interface WorkflowObservation {
  readonly workflow: Workflow;
  readonly graph: WorkflowGraph;
  /** The Jobs of running steps, by name. A missing Job was deleted. */
  readonly jobs: ReadonlyMap<string, Job>;
  /** In RFC 3339. */
  readonly now: string;
}

/** By position in the spec; undefined while the step waits for others. */
export type Steps = readonly (WorkflowStep | undefined)[];

export interface StepStart {
  /** The position in the spec. */
  readonly at: number;
  /** How often the step was started before. */
  readonly attempt: number;
}

export interface WorkflowDecision {
  readonly steps: Steps;
  readonly starts: readonly StepStart[];
  /** Steps that have failed since the last reconcile. */
  readonly failures: readonly WorkflowStep[];
}

export function decideWorkflow(seen: WorkflowObservation): WorkflowDecision {
  const { workflow, graph } = seen;
  const known = stepsOf(workflow);
  const asked = wantsRetry(workflow) ? retried(known) : known;
  const learned = asked.map((step) => (step?.state === "Running" ? learn(step, seen) : step));
  const steps = skipped(learned, workflow, graph);
  const failures = steps.flatMap((step, at) =>
    step?.state === "Failed" && known[at]?.state !== "Failed" ? [step] : [],
  );
  return { steps, failures, starts: isHeld(workflow) ? [] : startsOf(steps, graph) };
}

/** The state of each step according to the status. */
export function stepsOf({ spec, status }: Workflow): Steps {
  const known = new Map((status.steps ?? []).map((step) => [step.name, step]));
  return (spec.jobs ?? []).map(({ name }) => known.get(name));
}

/** The names of the Jobs of running steps. */
export function runningJobs(workflow: Workflow): readonly string[] {
  return (workflow.status.steps ?? []).flatMap(({ state, job }) =>
    state === "Running" && job !== undefined ? [job] : [],
  );
}

export function isHeld({ metadata, spec }: Workflow): boolean {
  return spec.suspend === true || metadata.deletionTimestamp !== undefined;
}

export function wantsRetry({ spec, status }: Workflow): boolean {
  return (spec.retries ?? 0) > (status.retries ?? 0);
}

/** Failed steps run again, and steps that were skipped because of them wait again. */
function retried(steps: Steps): Steps {
  return steps.map((step) => {
    if (step?.state === "Skipped") return undefined;
    if (step?.state !== "Failed") return step;
    return { name: step.name, state: "Pending", attempt: (step.attempt ?? 0) + 1 };
  });
}

const GONE = "the Job was deleted before it had ended";

function learn(step: WorkflowStep, { workflow, jobs, now }: WorkflowObservation): WorkflowStep {
  const job = jobs.get(step.job ?? "");
  const isOurs = job?.metadata.ownerReferences?.some(({ uid }) => uid === workflow.metadata.uid);
  if (!job || !isOurs) return { ...step, state: "Failed", completionTime: now, message: GONE };
  const end = endOf(job);
  if (!end) return step;
  const { time: completionTime = now, message } = end;
  if (end.type === "Complete") return { ...step, state: "Succeeded", completionTime };
  return { ...step, state: "Failed", completionTime, message };
}

/** Steps that depend on a failed or skipped step are skipped. */
function skipped(steps: Steps, { spec }: Workflow, { after }: WorkflowGraph): Steps {
  const out = [...steps];
  const stopped = [...out.keys()].filter((at) => isStopped(out[at]));
  for (let at = stopped.pop(); at !== undefined; at = stopped.pop()) {
    for (const next of after[at] ?? []) {
      if (out[next]) continue;
      const name = spec.jobs?.[next]?.name ?? "";
      out[next] = { name, state: "Skipped", message: `${out[at]?.name} did not succeed` };
      stopped.push(next);
    }
  }
  return out;
}

function isStopped(step: WorkflowStep | undefined): boolean {
  return step?.state === "Failed" || step?.state === "Skipped";
}

function startsOf(steps: Steps, { before }: WorkflowGraph): readonly StepStart[] {
  return [...steps.keys()].flatMap((at) => {
    const step = steps[at];
    if (step && step.state !== "Pending") return [];
    const isFree = (before[at] ?? []).every((each) => steps[each]?.state === "Succeeded");
    return isFree ? [{ at, attempt: step?.attempt ?? 0 }] : [];
  });
}
