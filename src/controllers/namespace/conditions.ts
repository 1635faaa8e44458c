/** Pure: the conditions of a namespace that report the progress of its deletion. */
import type { NamespaceCondition } from "../../api/generated/core.ts";
import type { Remains } from "./remains.ts";

type ConditionType =
  | "NamespaceDeletionDiscoveryFailure"
  | "NamespaceDeletionGroupVersionParsingFailure"
  | "NamespaceDeletionContentFailure"
  | "NamespaceContentRemaining"
  | "NamespaceFinalizersRemaining";

interface Finding {
  readonly reason: string;
  readonly message: string;
}

/**
 * In the order in which they are added, with the reason and message used if there is no problem.
 */
const NOTHING_WRONG: readonly (readonly [ConditionType, Finding])[] = [
  [
    "NamespaceDeletionDiscoveryFailure",
    { reason: "ResourcesDiscovered", message: "All resources successfully discovered" },
  ],
  [
    "NamespaceDeletionGroupVersionParsingFailure",
    { reason: "ParsedGroupVersions", message: "All legacy kube types successfully parsed" },
  ],
  [
    "NamespaceDeletionContentFailure",
    {
      reason: "ContentDeleted",
      message: "All content successfully deleted, may be waiting on finalization",
    },
  ],
  [
    "NamespaceContentRemaining",
    { reason: "ContentRemoved", message: "All content successfully removed" },
  ],
  [
    "NamespaceFinalizersRemaining",
    { reason: "ContentRemoved", message: "All content successfully removed" },
  ],
];

/** Returns the same reference if nothing has changed. */
export function composeConditions(
  old: readonly NamespaceCondition[],
  remains: readonly Remains[],
  now: string,
): readonly NamespaceCondition[] {
  const found = findingsOf(remains);
  let conditions = old;
  for (const [type, fine] of NOTHING_WRONG) {
    const finding = found[type];
    const status = finding ? "True" : "False";
    conditions = withCondition(conditions, { type, status, ...(finding ?? fine) }, now);
  }
  return conditions;
}

function findingsOf(remains: readonly Remains[]): { readonly [type in ConditionType]?: Finding } {
  const failures = remains.flatMap(({ failure }) => (failure === undefined ? [] : [failure]));
  const resources = remains
    .filter(({ count }) => count > 0)
    .map(({ type, count }) => `${type.resource}.${type.group} has ${count} resource instances`);
  const finalizers = [...sumFinalizers(remains)].map(
    ([finalizer, count]) => `${finalizer} in ${count} resource instances`,
  );
  const listed = (texts: readonly string[]) => [...texts].sort().join(", ");
  const failed = `Failed to delete all resource types, ${failures.length} remaining`;
  return {
    ...(failures.length > 0 && {
      NamespaceDeletionContentFailure: {
        reason: "ContentDeletionFailed",
        message: `${failed}: ${listed(failures)}`,
      },
    }),
    ...(resources.length > 0 && {
      NamespaceContentRemaining: {
        reason: "SomeResourcesRemain",
        message: `Some resources are remaining: ${listed(resources)}`,
      },
    }),
    ...(finalizers.length > 0 && {
      NamespaceFinalizersRemaining: {
        reason: "SomeFinalizersRemain",
        message: `Some content in the namespace has finalizers remaining: ${listed(finalizers)}`,
      },
    }),
  };
}

function sumFinalizers(remains: readonly Remains[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { finalizers } of remains) {
    for (const [finalizer, count] of finalizers) {
      sums.set(finalizer, (sums.get(finalizer) ?? 0) + count);
    }
  }
  return sums;
}

function withCondition(
  conditions: readonly NamespaceCondition[],
  next: Finding & Pick<NamespaceCondition, "type" | "status">,
  now: string,
): readonly NamespaceCondition[] {
  const { type, status, reason, message } = next;
  const old = conditions.find((condition) => condition.type === type);
  if (!old) {
    return [...conditions, { type, status, lastTransitionTime: now, reason, message }];
  }
  const isSameStatus = old.status === status;
  if (isSameStatus && old.reason === reason && old.message === message) return conditions;
  const lastTransitionTime = isSameStatus ? (old.lastTransitionTime ?? null) : now;
  const changed = { type, status, lastTransitionTime, reason, message };
  return conditions.map((condition) => (condition === old ? changed : condition));
}
