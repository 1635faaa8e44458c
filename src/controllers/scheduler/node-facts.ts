/** Pure: the properties of a Node that affect the placement of pods. */
import type { Node, Taint } from "../../api/generated/core.ts";
import { amountOf } from "./requests.ts";

export interface NodeFacts {
  readonly name: string;
  readonly labels: { readonly [label: string]: string };
  /** CPU in thousandths, everything else in whole units. */
  readonly allocatable: { readonly [resource: string]: number };
  readonly isUnschedulable: boolean;
  /** Taints that repel pods without a matching toleration. */
  readonly taints: readonly Taint[];
  /** Taints with effect PreferNoSchedule. */
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
 * The taints that Kubernetes' node controller would add: if a node reports that it is not ready,
 * that is sufficient. A node without a Ready condition counts as ready.
 */
function impliedTaints({ conditions = [] }: Node["status"]): Taint[] {
  const ready = conditions.find(({ type }) => type === "Ready");
  if (ready === undefined || ready.status === "True") return [];
  const name = ready.status === "False" ? "not-ready" : "unreachable";
  return [{ key: `node.kubernetes.io/${name}`, effect: "NoSchedule" }];
}
