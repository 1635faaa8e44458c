/** Pure: of several pods the one to remove is the one that has done least. */
import { completionIndexOf } from "../../api/completion-index.ts";
import type { ContainerStatus, Pod } from "../../api/generated/core.ts";
import { findReady, isReady, sidecarNames } from "./pod-facts.ts";

/** Negative when the first is to be removed before the second. */
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
 * Kubernetes has no rule beyond that, and age is known to the second. The highest index goes first:
 * otherwise a lower one would be made anew, and begin after those that stayed.
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

/** Ready more recently goes first, and one that does not say since when before all. */
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
