/** Pure: sets a condition of a pod, at its existing position. */
import type { PodCondition } from "../../api/generated/core.ts";

export function setCondition(
  conditions: readonly PodCondition[],
  condition: PodCondition,
): PodCondition[] {
  const old = conditions.find(({ type }) => type === condition.type);
  if (!old) return [...conditions, condition];
  const { lastTransitionTime = null } = old.status === condition.status ? old : condition;
  const next = { ...condition, lastTransitionTime };
  return conditions.map((each) => (each === old ? next : each));
}
