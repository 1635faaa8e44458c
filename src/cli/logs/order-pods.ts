/** Pure: of several pods, the one whose log tells most comes first. */
import type { Pod } from "../../api/generated/core.ts";

export function orderForLogs(pods: readonly Pod[]): readonly Pod[] {
  return [...pods].sort((one, other) => {
    for (const rank of RANKS) {
      const difference = rank(one) - rank(other);
      if (difference !== 0 && !Number.isNaN(difference)) return difference;
    }
    return 0;
  });
}

const PHASES: { readonly [phase: string]: number } = { Unknown: 1, Pending: 2 };

/** Smaller is better; the first that differs decides. */
const RANKS: readonly ((pod: Pod) => number)[] = [
  ({ spec }) => (spec.nodeName ? 0 : 1),
  ({ status }) => PHASES[status.phase ?? ""] ?? 0,
  (pod) => (readySinceMs(pod) === undefined ? 1 : 0),
  (pod) => readySinceMs(pod) ?? 0,
  (pod) => -mostRestarts(pod),
  ({ metadata }) => Date.parse(metadata.creationTimestamp ?? ""),
];

function readySinceMs({ status }: Pod): number | undefined {
  const ready = (status.conditions ?? []).find(({ type }) => type === "Ready");
  return ready?.status === "True" ? Date.parse(ready.lastTransitionTime ?? "") : undefined;
}

function mostRestarts({ status }: Pod): number {
  const statuses = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return Math.max(0, ...statuses.map(({ restartCount }) => restartCount));
}
