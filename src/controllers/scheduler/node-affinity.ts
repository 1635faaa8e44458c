/** Pure: whether a pod's nodeSelector and node affinity match a node. */
import type { NodeSelectorRequirement, NodeSelectorTerm } from "../../api/generated/core.ts";
import {
  type LabelOperator,
  matchesLabels,
  type Requirement,
} from "../../api/selectors/label-selector-query.ts";
import type { PodNeeds } from "./needs.ts";
import type { NodeFacts } from "./node-facts.ts";

export function isWanted({ nodeSelector, nodeAffinity }: PodNeeds, node: NodeFacts): boolean {
  for (const label of Object.keys(nodeSelector)) {
    const isThere = Object.hasOwn(node.labels, label);
    if (!isThere || node.labels[label] !== nodeSelector[label]) return false;
  }
  const required = nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution;
  if (required === undefined) return true;
  return (required.nodeSelectorTerms ?? []).some((term) => matchesTerm(term, node));
}

/** The sum of the weights of all preferences that the node meets. */
export function affinityWeight({ nodeAffinity }: PodNeeds, node: NodeFacts): number {
  let total = 0;
  const wishes = nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  for (const { weight, preference } of wishes) {
    if (matchesTerm(preference, node)) total += weight;
  }
  return total;
}

/** A term without requirements matches no node. */
export function matchesTerm(term: NodeSelectorTerm, node: NodeFacts): boolean {
  const { matchExpressions = [], matchFields = [] } = term;
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  return (
    matchesLabels(matchExpressions.map(asRequirement), node.labels) &&
    matchesLabels(matchFields.map(asRequirement), { "metadata.name": node.name })
  );
}

const OPERATORS: { readonly [operator: string]: LabelOperator } = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
  Gt: "gt",
  Lt: "lt",
};

function asRequirement({ key, operator, values = [] }: NodeSelectorRequirement): Requirement {
  return { key, operator: OPERATORS[operator] ?? "in", values };
}
