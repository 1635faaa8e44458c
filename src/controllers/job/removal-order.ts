/** Pure: the order in which surplus pods are removed: those that have done the least work first. */
import { completionIndexOf } from "../../api/completion-index.ts";
import type { ContainerStatus, Pod } from "../../api/generated/core.ts";
import { findReady, isReady, sidecarNames } from "./pod-facts.ts";

/** Negative if the first pod is to be removed before the second. */
export function compareForRemoval(one: Pod, other: Pod): number {
  for (const rank of RANKS) {
    const difference = rank(one) - rank(other);
    if (difference !== 0) return difference;
  }
  return (
    compareReadySince(one, other) ||
    compareRestarts(one, other) ||
    compareAge(one, other) ||
    compareIndex(one, other)
  );
}

/**
 * Kubernetes has no further rule, and ages are known only to the second. The highest index is
 * removed first: otherwise a lower index would be recreated later and start after the pods that
 * stayed.
 */
function compareIndex(one: Pod, other: Pod): number {
  return (completionIndexOf(other) ?? 0) - (completionIndexOf(one) ?? 0);
}

const PHASES = ["Pending", "Unknown", "Running"];

const RANKS: readonly ((pod: Pod) => number)[] = [
  ({ spec }) => (spec.nodeName ? 1 : 0),
  ({ status }) => PHASES.indexOf(status.phase ?? ""),
  (pod) => (isReady(pod) ? 1 : 0),
];

/**
 * The pod that became ready most recently goes first, one without a transition time before all
 * others.
 */
function compareReadySince(one: Pod, other: Pod): number {
  if (!isReady(one)) return 0;
  return compareNewestFirst(
    findReady(one)?.lastTransitionTime ?? "",
    findReady(other)?.lastTransitionTime ?? "",
  );
}

function compareRestarts(one: Pod, other: Pod): number {
  const [own, others] = [maxRestarts(one), maxRestarts(other)];
  return others.containers - own.containers || others.sidecars - own.sidecars;
}

function compareAge({ metadata: one }: Pod, { metadata: other }: Pod): number {
  return compareNewestFirst(one.creationTimestamp ?? "", other.creationTimestamp ?? "");
}

function compareNewestFirst(one: string, other: string): number {
  if (one === other) return 0;
  if (one === "" || other === "") return one === "" ? -1 : 1;
  return one > other ? -1 : 1;
}

function maxRestarts({ spec, status }: Pod) {
  const names = sidecarNames(spec.initContainers ?? []);
  const most = (statuses: readonly ContainerStatus[]) =>
    statuses.reduce((max, { restartCount }) => Math.max(max, restartCount), 0);
  const sidecars = (status.initContainerStatuses ?? []).filter(({ name }) => names.has(name));
  return { containers: most(status.containerStatuses ?? []), sidecars: most(sidecars) };
}
