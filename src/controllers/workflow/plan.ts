/** Pure: the order of the steps of a Workflow, worked out once for a spec that cannot change. */
import type { Workflow, WorkflowSpec } from "../../api/generated/tallyjob.ts";
import { findCycle, graphOf, type WorkflowGraph } from "../../api/workflow-graph.ts";

export type Plan =
  | { readonly kind: "order"; readonly graph: WorkflowGraph }
  /** A cluster that does not check what depends on what has let it pass. */
  | { readonly kind: "impossible"; readonly problem: string };

export function planOf({ spec }: Workflow): Plan {
  const known = plans.get(spec);
  if (known) return known;
  const plan = makePlan(spec);
  plans.set(spec, plan);
  return plan;
}

/** Objects are shared and never changed: a status that changes leaves the very same spec. */
const plans = new WeakMap<WorkflowSpec, Plan>();

function makePlan(spec: WorkflowSpec): Plan {
  const cycle = findCycle(spec);
  if (cycle) return { kind: "impossible", problem: `a cycle: ${cycle.join(" -> ")}` };
  return { kind: "order", graph: graphOf(spec) };
}
