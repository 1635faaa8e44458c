/** Pure: what a pod tells of the attempt it stands for, in the words of somebody with a list. */
import { completionIndexOf } from "../../api/completion-index.ts";
import { isRerunAfterUnknownExit } from "../../api/exit-unknown.ts";
import type { ContainerStateTerminated, Pod } from "../../api/generated/core.ts";
import { type PodEnd, podEndOf } from "../../api/pod-end.ts";
import { millisecondsOf } from "../../api/time.ts";
import { ITEM } from "../../api/work-list/names.ts";
import type { Attempt } from "../../ledger/attempt.ts";

export interface TaskAttempt {
  /** Absent for a Job that is not Indexed. */
  readonly index: number | undefined;
  /** What it works on, where there is a list. */
  readonly item: string | undefined;
  /** Counts from 1. */
  readonly attempt: number;
  readonly pod: PodIdentity;
  /** Which run of each container it is, by name. */
  readonly runs: readonly ContainerRun[];
  readonly startedMs: number | undefined;
}

export interface PodIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface ContainerRun {
  readonly container: string;
  readonly restarts: number;
}

export interface AttemptEnd extends TaskAttempt {
  /** Unknown: nobody could record how it ended, and the item is run again. */
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

export function attemptOf(pod: Pod): TaskAttempt {
  const { namespace = "", name = "", uid = "", annotations = {} } = pod.metadata;
  const statuses = pod.status.containerStatuses ?? [];
  const restarts = (of: string) => statuses.find((each) => each.name === of)?.restartCount ?? 0;
  const runs = (pod.spec.containers ?? []).map((container) => ({
    container: container.name,
    restarts: restarts(container.name),
  }));
  const failures = FAILURE_COUNTS.reduce((sum, key) => sum + Number(annotations[key] ?? 0), 0);
  return {
    index: completionIndexOf(pod),
    item: annotations[ITEM],
    attempt: failures + 1 + Math.max(0, ...runs.map((run) => run.restarts)),
    pod: { namespace, name, uid },
    runs,
    startedMs: pod.status.startTime ? millisecondsOf(pod.status.startTime) : undefined,
  };
}

export function isOver({ status }: Pod): boolean {
  return status.phase === "Succeeded" || status.phase === "Failed";
}

/** Of a pod that is over, or that was removed before. */
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

/** Of the container that decided: the first that failed, or the one that ended last. */
function decisive({ status }: Pod): ContainerStateTerminated | undefined {
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const ended = all.flatMap(({ state }) => (state.terminated ? [state.terminated] : []));
  return ended.find(({ exitCode }) => exitCode !== 0) ?? ended.at(-1);
}

/** The end that counts of an index whose pods nobody here saw, as the ledger has it. */
export function endInLedger(
  namespace: string,
  index: number,
  attempts: readonly Attempt[],
  about: { readonly item: string | undefined; readonly containers: readonly string[] },
): AttemptEnd | undefined {
  const last = attempts.findLast(({ outcome }) => ENDS.includes(outcome));
  if (!last) return undefined;
  const { outcome, startTime, endTime, exitCode, signal, reason, message, jobUID } = last;
  // As the annotations of pods count them: from one again in each Job of the run.
  const tries = attempts.filter((each) => each.jobUID === jobUID && each.outcome !== "Deleted");
  return {
    index,
    item: about.item,
    attempt: tries.length,
    pod: { namespace, name: last.pod, uid: last.podUID },
    runs: about.containers.map((container) => ({ container, restarts: 0 })),
    startedMs: startTime ? millisecondsOf(startTime) : undefined,
    endedMs: endTime ? millisecondsOf(endTime) : undefined,
    outcome: outcome === "Succeeded" ? "Succeeded" : "Failed",
    exitCode,
    signal,
    reason,
    message,
  };
}

/** How an attempt ends that its Job did not stop. */
const ENDS: readonly Attempt["outcome"][] = ["Succeeded", "Failed", "Unknown"];
