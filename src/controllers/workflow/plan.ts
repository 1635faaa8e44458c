/** Pure: the dependency graph of a Workflow, computed once per spec, which is immutable. */
import type { Workflow, WorkflowSpec } from "../../api/generated/tallyjob.ts";
import { findCycle, graphOf, type WorkflowGraph } from "../../api/workflow-graph.ts";

export type Plan =
  | { readonly kind: "order"; readonly graph: WorkflowGraph }
  /** Possible on a cluster that does not validate the dependencies. */
  | { readonly kind: "impossible"; readonly problem: string };

export function planOf({ spec }: Workflow): Plan {
  const known = plans.get(spec);
  if (known) return known;
  const plan = makePlan(spec);
  plans.set(spec, plan);
  return plan;
}

/**
 * Cached by reference: objects are shared and never modified, so a status update keeps the same
 * spec.
 */
const plans = new WeakMap<WorkflowSpec, Plan>();

function makePlan(spec: WorkflowSpec): Plan {
  const cycle = findCycle(spec);
  if (cycle) return { kind: "impossible", problem: `a cycle: ${cycle.join(" -> ")}` };
  return { kind: "order", graph: graphOf(spec) };
}
