/** Pure: what the place of pods depends on in a Node. */
import type { Node, Taint } from "../../api/generated/core.ts";
import { amountOf } from "./requests.ts";

export interface NodeFacts {
  readonly name: string;
  readonly labels: { readonly [label: string]: string };
  /** Thousandths of cpu, whole units of everything else. */
  readonly allocatable: { readonly [resource: string]: number };
  readonly isUnschedulable: boolean;
  /** Those that keep pods away that do not tolerate them. */
  readonly taints: readonly Taint[];
  /** Those that only make a node less welcome. */
  readonly softTaints: readonly Taint[];
}

export function nodeFacts({ metadata, spec, status }: Node): NodeFacts {
  const { allocatable = {} } = status;
  const taints = [...(spec.taints ?? []), ...impliedTaints(status)];
  return {
    name: metadata.name ?? "",
    labels: metadata.labels ?? {},
    allocatable: Object.fromEntries(
      Object.entries(allocatable).map(([name, text]) => [name, amountOf(name, text)]),
    ),
    isUnschedulable: spec.unschedulable === true,
    taints: taints.filter(({ effect }) => effect !== "PreferNoSchedule"),
    softTaints: taints.filter(({ effect }) => effect === "PreferNoSchedule"),
  };
}

/**
 * What Kubernetes' node controller would taint a node with: the word of a node that it is not well
 * is enough. A node that says nothing of itself is taken for well.
 */
function impliedTaints({ conditions = [] }: Node["status"]): Taint[] {
  const ready = conditions.find(({ type }) => type === "Ready");
  if (ready === undefined || ready.status === "True") return [];
  const name = ready.status === "False" ? "not-ready" : "unreachable";
  return [{ key: `node.kubernetes.io/${name}`, effect: "NoSchedule" }];
}
