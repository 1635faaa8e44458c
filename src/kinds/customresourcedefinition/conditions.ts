/** Pure: the conditions of a definition: whether its names are free, and whether it is served. */
import type { CustomResourceDefinitionCondition } from "../../api/generated/apiextensions.ts";

export type Conditions = readonly CustomResourceDefinitionCondition[] | null | undefined;

export function isTrue(conditions: Conditions, type: string): boolean {
  return conditions?.some((each) => each.type === type && each.status === "True") ?? false;
}

/** Sets the condition. Its time changes only if its status changes. */
export function withCondition(
  conditions: Conditions,
  condition: CustomResourceDefinitionCondition,
  now: string,
): readonly CustomResourceDefinitionCondition[] {
  const all = conditions ?? [];
  const before = all.find(({ type }) => type === condition.type);
  const isKept = before?.status === condition.status;
  const lastTransitionTime = isKept ? (before.lastTransitionTime ?? now) : now;
  const { type, status, reason, message } = condition;
  const next = {
    type,
    status,
    lastTransitionTime,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
  return before ? all.map((each) => (each === before ? next : each)) : [...all, next];
}
