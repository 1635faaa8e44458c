/** Pure: an attempt at an item, as its pod or the ledger describes it. */
import { completionIndexOf } from "../../api/completion-index.ts";
import { isRerunAfterUnknownExit } from "../../api/exit-unknown.ts";
import type { ContainerStateTerminated, Pod } from "../../api/generated/core.ts";
import { type PodEnd, podEndOf } from "../../api/pod-end.ts";
import { millisecondsOf } from "../../api/time.ts";
import { ITEM } from "../../api/work-list/names.ts";
import type { Attempt } from "../../ledger/attempt.ts";

export interface ItemAttempt {
  /** Absent for a Job that is not Indexed. */
  readonly index: number | undefined;
  /** The name of the item, if there is a list. */
  readonly item: string | undefined;
  /** Counts from 1. */
  readonly attempt: number;
  readonly pod: PodIdentity;
  /** Its containers, each with the number of restarts in place. */
  readonly containers: readonly AttemptContainer[];
  readonly startedMs: number | undefined;
}

export interface PodIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface AttemptContainer {
  readonly container: string;
  readonly restarts: number;
}

export interface AttemptEnd extends ItemAttempt {
  /** Unknown: the exit code could not be recorded, and the item is retried. */
  readonly outcome: PodEnd | "Unknown";
  readonly endedMs: number | undefined;
  readonly exitCode: number | undefined;
  readonly signal: number | undefined;
  readonly reason: string | undefined;
  readonly message: string | undefined;
}

const FAILURE_COUNTS = [
  "batch.kubernetes.io/job-index-failure-count",
  "batch.kubernetes.io/job-index-ignored-failure-count",
];

export function attemptOf(pod: Pod): ItemAttempt {
  const { namespace = "", name = "", uid = "", annotations = {} } = pod.metadata;
  const statuses = pod.status.containerStatuses ?? [];
  const restarts = (of: string) => statuses.find((each) => each.name === of)?.restartCount ?? 0;
  const containers = (pod.spec.containers ?? []).map((container) => ({
    container: container.name,
    restarts: restarts(container.name),
  }));
  const failures = FAILURE_COUNTS.reduce((sum, key) => sum + Number(annotations[key] ?? 0), 0);
  return {
    index: completionIndexOf(pod),
    item: annotations[ITEM],
    attempt: failures + 1 + Math.max(0, ...containers.map(({ restarts }) => restarts)),
    pod: { namespace, name, uid },
    containers,
    startedMs: pod.status.startTime ? millisecondsOf(pod.status.startTime) : undefined,
  };
}

export function isOver({ status }: Pod): boolean {
  return status.phase === "Succeeded" || status.phase === "Failed";
}

/** For a pod that has ended, or was removed before its end. */
export function endOf(pod: Pod, isRemoved: boolean): AttemptEnd {
  const { status } = pod;
  const ended = decisive(pod);
  const started = ended?.startedAt ? millisecondsOf(ended.startedAt) : undefined;
  const attempt = attemptOf(pod);
  return {
    ...attempt,
    startedMs: started ?? attempt.startedMs,
    outcome: isRerunAfterUnknownExit(pod) ? "Unknown" : podEndOf(pod, isRemoved),
    endedMs: ended?.finishedAt ? millisecondsOf(ended.finishedAt) : undefined,
    exitCode: ended?.exitCode,
    signal: ended?.signal || undefined,
    reason: status.reason || ended?.reason || undefined,
    message: status.message || ended?.message || undefined,
  };
}

/** The container that decides the outcome: the first that failed, or the one that ended last. */
function decisive({ status }: Pod): ContainerStateTerminated | undefined {
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const ended = all.flatMap(({ state }) => (state.terminated ? [state.terminated] : []));
  return ended.find(({ exitCode }) => exitCode !== 0) ?? ended.at(-1);
}

/** The last end of an index in the ledger, for pods that were not seen here. */
export function endInLedger(
  namespace: string,
  index: number,
  attempts: readonly Attempt[],
  about: { readonly item: string | undefined; readonly containers: readonly string[] },
): AttemptEnd | undefined {
  const last = attempts.findLast(({ outcome }) => ENDS.includes(outcome));
  if (!last) return undefined;
  const { outcome, startTime, endTime, exitCode, signal, reason, message, jobUID } = last;
  // Attempts count from 1 in each Job of the run, as in the annotations of pods.
  const tries = attempts.filter((each) => each.jobUID === jobUID && each.outcome !== "Deleted");
  return {
    index,
    item: about.item,
    attempt: tries.length,
    pod: { namespace, name: last.pod, uid: last.podUID },
    containers: about.containers.map((container) => ({ container, restarts: 0 })),
    startedMs: startTime ? millisecondsOf(startTime) : undefined,
    endedMs: endTime ? millisecondsOf(endTime) : undefined,
    outcome: outcome === "Succeeded" ? "Succeeded" : "Failed",
    exitCode,
    signal,
    reason,
    message,
  };
}

/** The outcomes of attempts that were not stopped. */
const ENDS: readonly Attempt["outcome"][] = ["Succeeded", "Failed", "Unknown"];
