/** Pure: the status of a Workflow, from the states of its steps. */
import type { Workflow, WorkflowStatus, WorkflowStep } from "../../api/generated/tallyjob.ts";
import { type Stated, withConditions } from "../jobtemplate/owner-conditions.ts";
import type { Steps } from "./decide.ts";

export function composeStatus(workflow: Workflow, steps: Steps, now: string): WorkflowStatus {
  const { metadata, spec, status } = workflow;
  const known = steps.filter((step) => step !== undefined);
  const counts = countStates(known);
  const verdict = verdictOf(counts, steps.length, known);
  const conditions = withConditions(status.conditions, statedOf(workflow, verdict), now);
  const completionTime = verdict ? (status.completionTime ?? lastEnd(known) ?? now) : undefined;
  return {
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    phase: verdict?.type ?? (spec.suspend ? "Suspended" : "Running"),
    startTime: status.startTime ?? now,
    ...(completionTime === undefined ? {} : { completionTime }),
    total: steps.length,
    active: counts.Running,
    succeeded: counts.Succeeded,
    failed: counts.Failed,
    skipped: counts.Skipped,
    retries: Math.max(spec.retries ?? 0, status.retries ?? 0),
    ...(conditions.length > 0 ? { conditions } : {}),
    ...(known.length > 0 ? { steps: known } : {}),
  };
}

/** For a spec with cyclic dependencies. A server that validates would reject it. */
export function invalidStatus(workflow: Workflow, problem: string, now: string): WorkflowStatus {
  const stated: Stated = {
    type: "Failed",
    isMet: true,
    reason: "InvalidWorkflow",
    message: problem,
  };
  const { generation } = workflow.metadata;
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    phase: "Failed",
    total: workflow.spec.jobs?.length ?? 0,
    conditions: withConditions(workflow.status.conditions, [stated], now),
  };
}

interface Verdict {
  readonly type: "Complete" | "Failed";
  readonly message: string;
}

type State = "Pending" | "Running" | "Succeeded" | "Failed" | "Skipped";
type Counts = { readonly [state in State]: number };

function countStates(steps: readonly WorkflowStep[]): Counts {
  const counts = { Pending: 0, Running: 0, Succeeded: 0, Failed: 0, Skipped: 0 };
  for (const { state } of steps) if (state in counts) counts[state as State]++;
  return counts;
}

const MOST_NAMED = 5;

/** Undefined while a step can still run. */
function verdictOf(
  { Succeeded, Failed, Skipped }: Counts,
  total: number,
  steps: readonly WorkflowStep[],
): Verdict | undefined {
  if (Succeeded === total) return { type: "Complete", message: `${total} steps succeeded` };
  if (Succeeded + Failed + Skipped < total) return undefined;
  const names = steps.filter(({ state }) => state === "Failed").map(({ name }) => name);
  const shown = names.slice(0, MOST_NAMED).join(", ");
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : "";
  const rest = Skipped > 0 ? `; ${Skipped} that depend on them did not begin` : "";
  return { type: "Failed", message: `failed: ${shown}${more}${rest}` };
}

function statedOf({ spec }: Workflow, verdict: Verdict | undefined): readonly Stated[] {
  const goesOn = { isMet: false, reason: "Retried", message: "failed steps run again" };
  const isHeld = spec.suspend === true && !verdict;
  return [
    verdict?.type === "Complete"
      ? { type: "Complete", isMet: true, reason: "StepsSucceeded", message: verdict.message }
      : { type: "Complete", ...goesOn },
    verdict?.type === "Failed"
      ? { type: "Failed", isMet: true, reason: "StepFailed", message: verdict.message }
      : { type: "Failed", ...goesOn },
    isHeld
      ? { type: "Suspended", isMet: true, reason: "Suspended", message: "no further step begins" }
      : { type: "Suspended", isMet: false, reason: "Resumed", message: "" },
  ];
}

function lastEnd(steps: readonly WorkflowStep[]): string | undefined {
  return steps
    .flatMap(({ completionTime }) => completionTime ?? [])
    .toSorted()
    .at(-1);
}
