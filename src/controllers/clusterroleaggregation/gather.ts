/** Pure: the rules of a ClusterRole that aggregates the rules of other ClusterRoles. */
import { isEqual } from "../../api/equal.ts";
import type { ClusterRole, PolicyRule } from "../../api/generated/rbac.ts";
import { selects } from "../../api/selectors/label-selector.ts";

/** Undefined if the role does not aggregate, or already has the correct rules. */
export function gather(
  role: ClusterRole,
  all: readonly ClusterRole[],
): readonly PolicyRule[] | undefined {
  if (!role.aggregationRule) return undefined;
  const rules: PolicyRule[] = [];
  for (const selector of role.aggregationRule.clusterRoleSelectors ?? []) {
    const sources = all.filter(selects(selector)).sort(byName);
    for (const source of sources) {
      if (source.metadata.name === role.metadata.name) continue;
      for (const rule of source.rules ?? []) {
        if (!rules.some((known) => isEqual(known, rule))) rules.push(rule);
      }
    }
  }
  return isEqual(rules, role.rules ?? []) ? undefined : rules;
}

function byName({ metadata: one }: ClusterRole, { metadata: other }: ClusterRole): number {
  return (one.name ?? "") < (other.name ?? "") ? -1 : 1;
}
