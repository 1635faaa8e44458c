/** Pure: formats labels and label selectors for tables. */
import type { LabelSelector, LabelSelectorRequirement } from "../generated/meta.ts";

/** "a=b,c in (x,y),!d", sorted by key; `<none>` for an empty selector. */
export function formatLabelSelector(selector: LabelSelector | undefined): string {
  const requirements: Requirement[] = Object.entries(selector?.matchLabels ?? {}).map(
    ([key, value]) => ({ key, text: `${key}=${value}` }),
  );
  for (const expression of selector?.matchExpressions ?? []) {
    const text = formatExpression(expression);
    if (text === undefined) return "<error>";
    requirements.push({ key: expression.key, text });
  }
  if (requirements.length === 0) return "<none>";
  requirements.sort((a, b) => compare(a.key, b.key));
  return requirements.map((requirement) => requirement.text).join(",");
}

/** "a=b,c=d"; `<none>` without labels. Node selectors and service selectors print the same way. */
export function formatLabels(labels: { readonly [key: string]: string } | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? "<none>" : pairs.sort(compare).join(",");
}

interface Requirement {
  readonly key: string;
  readonly text: string;
}

function formatExpression(expression: LabelSelectorRequirement): string | undefined {
  const values = [...new Set(expression.values ?? [])].sort(compare).join(",");
  switch (expression.operator) {
    case "In":
      return `${expression.key} in (${values})`;
    case "NotIn":
      return `${expression.key} notin (${values})`;
    case "Exists":
      return expression.key;
    case "DoesNotExist":
      return `!${expression.key}`;
    default:
      return undefined;
  }
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
