/**
 * Pure: a Job's successPolicy. Each rule counts its completed indexes as they complete, so that the
 * cost of evaluating the policy depends on the number of rules and not on the number of indexes.
 */
import type { JobSpec } from "../../api/generated/batch.ts";
import { countCommon, hasIndex, type IndexSet, parseIndexes } from "../../api/index-set.ts";

export interface SuccessRule {
  /** Absent: any index counts. */
  readonly indexes?: IndexSet;
  /** Absent: all indexes are required. */
  readonly succeededCount?: number;
  completed: number;
}

export function successRulesOf(
  { successPolicy, completions = 0 }: JobSpec,
  completed: IndexSet,
): SuccessRule[] {
  return (successPolicy?.rules ?? []).map(({ succeededIndexes, succeededCount }) => {
    const count = succeededCount === undefined ? {} : { succeededCount };
    if (succeededIndexes === undefined) return { ...count, completed: completed.size };
    const indexes = parseIndexes(succeededIndexes, completions);
    return { ...count, indexes, completed: countCommon(indexes, completed) };
  });
}

export function countCompleted(rules: readonly SuccessRule[], index: number): void {
  for (const rule of rules) {
    if (rule.indexes === undefined || hasIndex(rule.indexes, index)) rule.completed++;
  }
}

/**
 * Returns the position of the first rule that is met. No rule is met before an index has completed.
 */
export function findMetRule(
  rules: readonly SuccessRule[],
  completed: IndexSet,
): number | undefined {
  if (completed.size === 0) return undefined;
  const at = rules.findIndex(isMet);
  return at < 0 ? undefined : at;
}

function isMet({ indexes, succeededCount, completed }: SuccessRule): boolean {
  const isCountReached = succeededCount !== undefined && completed >= succeededCount;
  if (indexes === undefined) return isCountReached;
  return indexes.size > 0 && (completed === indexes.size || isCountReached);
}
