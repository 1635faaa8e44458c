/** Pure: evaluates the selector in an object's spec: matchLabels and matchExpressions. */
import type { LabelSelector } from "../generated/meta.ts";
import type { KubeObject } from "../object.ts";
import { matchesLabels, type Requirement } from "./label-selector-query.ts";

/** An absent selector selects nothing, an empty one everything. */
export function selects(selector: LabelSelector | undefined): (object: KubeObject) => boolean {
  if (selector === undefined) return () => false;
  const requirements = requirementsOf(selector);
  return ({ metadata }) => matchesLabels(requirements, metadata.labels);
}

const OPERATORS: { readonly [operator: string]: Requirement["operator"] } = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
};

function requirementsOf({ matchLabels, matchExpressions }: LabelSelector): Requirement[] {
  const equal = Object.entries(matchLabels ?? {}).map(
    ([key, value]): Requirement => ({ key, operator: "=", values: [value] }),
  );
  const others = (matchExpressions ?? []).map(
    ({ key, operator, values }): Requirement => ({
      key,
      operator: OPERATORS[operator] ?? "in",
      values: values ?? [],
    }),
  );
  return [...equal, ...others];
}
