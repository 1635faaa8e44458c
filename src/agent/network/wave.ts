/**
 * Pure: the pods of an Indexed Job that begin together, when they are to find each other by name.
 *
 * None of them begins before all that are due have an address that is known to everybody: the first
 * instruction of the first one may be to look up the last one.
 */
import { completionIndexOf } from "../../api/completion-index.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import { parseIndexes } from "../../api/index-set.ts";
import { controllerOf } from "../../api/owner-reference.ts";

/** A pod that has a name among the pods of its Job. */
export function hasPeers(pod: Pod): boolean {
  const { subdomain, hostname, hostNetwork } = pod.spec;
  if (!subdomain || !hostname || hostNetwork === true) return false;
  return completionIndexOf(pod) !== undefined && controllerOf(pod)?.kind === "Job";
}

/** Pods of the Job and others; those that are over or going count for nothing. */
export function isWaveComplete(job: Job, pods: readonly Pod[]): boolean {
  const present = new Set<number>();
  for (const pod of pods) {
    const index = completionIndexOf(pod);
    if (index !== undefined && isAddressed(pod) && isOf(job, pod)) present.add(index);
  }
  return present.size >= dueCount(job);
}

/**
 * More are on their way: some have a node and no address yet, or the Job has made more than it has
 * told of, which it does when it has made all it can.
 */
export function isStillComing(job: Job, pods: readonly Pod[]): boolean {
  const active = pods.filter((pod) => isOf(job, pod) && isActive(pod));
  const isUnaddressed = ({ spec, status }: Pod) => Boolean(spec.nodeName) && !status.podIP;
  return active.some(isUnaddressed) || active.length > (job.status.active ?? 0);
}

/** How many indexes the Job has in work once it has made all pods that it may have at once. */
function dueCount({ spec, status }: Job): number {
  const { parallelism = 1, completions = parallelism } = spec;
  const countOf = (indexes = "") => parseIndexes(indexes, completions).size;
  const through = countOf(status.completedIndexes) + countOf(status.failedIndexes);
  return Math.min(parallelism, Math.max(0, completions - through));
}

function isAddressed(pod: Pod): boolean {
  return (pod.status.podIP ?? "") !== "" && isActive(pod);
}

function isActive({ metadata, status }: Pod): boolean {
  if (status.phase === "Succeeded" || status.phase === "Failed") return false;
  return metadata.deletionTimestamp === undefined;
}

function isOf(job: Job, pod: Pod): boolean {
  return controllerOf(pod)?.uid === job.metadata.uid;
}
