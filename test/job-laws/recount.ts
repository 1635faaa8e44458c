/**
 * A second, straightforward count of a Job's status and pods: from plain data, without the
 * scoreboard. Laws compare the controller with it.
 */
import type { Job } from "../../src/api/generated/batch.ts";
import type { Pod } from "../../src/api/generated/core.ts";
import { isTracked } from "./world.ts";

export interface Scene {
  readonly job: Job;
  /** Must not change afterwards: the count is cached. */
  readonly pods: ReadonlyMap<string, Pod>;
}

export interface Recount {
  readonly active: readonly Pod[];
  readonly terminating: readonly Pod[];
  readonly completed: ReadonlySet<number>;
  readonly failedIndexes: ReadonlySet<number>;
  readonly succeeded: number;
  readonly failed: number;
}

const counted = new WeakMap<Scene["pods"], { readonly job: Job; readonly recount: Recount }>();

/** Several laws ask about the same pods: they are counted once. */
export function recount({ job, pods }: Scene): Recount {
  const known = counted.get(pods);
  if (known?.job === job) return known.recount;
  const fresh = countAnew({ job, pods });
  counted.set(pods, { job, recount: fresh });
  return fresh;
}

function countAnew({ job, pods }: Scene): Recount {
  const { succeeded = 0, failed = 0, uncountedTerminatedPods = {} } = job.status;
  const named = [
    ...(uncountedTerminatedPods.succeeded ?? []),
    ...(uncountedTerminatedPods.failed ?? []),
  ];
  const all = [...pods.values()];
  const tracked = all.filter((pod) => isTracked(pod) && isInPlace(job, pod));
  const fresh = tracked.filter(({ metadata }) => !named.includes(metadata.uid ?? ""));
  const completed = readIndexes(job, job.status.completedIndexes);
  for (const pod of tracked) {
    if (pod.status.phase === "Succeeded") completed.add(indexOf(pod) ?? -1);
  }
  const failedIndexes = readIndexes(job, job.status.failedIndexes);
  for (const pod of tracked) if (failsIndex(job, pod)) failedIndexes.add(indexOf(pod) ?? -1);
  for (const index of completed) failedIndexes.delete(index);
  const successes = fresh.filter(({ status }) => status.phase === "Succeeded").length;
  const waiting = uncountedTerminatedPods.succeeded?.length ?? 0;
  return {
    active: all.filter((pod) => isRunning(pod) && !isGoing(pod)),
    terminating: all.filter((pod) => isRunning(pod) && isGoing(pod)),
    completed,
    failedIndexes,
    succeeded: isIndexed(job) ? completed.size : succeeded + waiting + successes,
    failed:
      failed +
      (uncountedTerminatedPods.failed?.length ?? 0) +
      fresh.filter((pod) => isFailure(job, pod) && !isIgnored(job, pod)).length,
  };
}

export function isIndexed({ spec }: Job): boolean {
  return spec.completionMode === "Indexed";
}

export function replacesOnlyFailed({ spec }: Job): boolean {
  return spec.podReplacementPolicy === "Failed" || spec.podFailurePolicy !== undefined;
}

export function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.["batch.kubernetes.io/job-completion-index"];
  return text === undefined ? undefined : Number(text);
}

/** In an Indexed Job only a pod with an index of the Job counts. */
export function isInPlace(job: Job, pod: Pod): boolean {
  const index = indexOf(pod);
  return !isIndexed(job) || (index !== undefined && index < (job.spec.completions ?? 0));
}

export function isFailure(job: Job, pod: Pod): boolean {
  if (pod.status.phase === "Failed") return true;
  return isRunning(pod) && isGoing(pod) && !replacesOnlyFailed(job);
}

export function isIgnored(job: Job, pod: Pod): boolean {
  return actionFor(job, pod) === "Ignore";
}

/** The action of the first rule that matches the pod. */
export function actionFor({ spec }: Job, { status }: Pod): string | undefined {
  const exitCode = status.containerStatuses?.[0]?.state.terminated?.exitCode ?? 0;
  const isDisrupted = status.conditions?.some(({ type }) => type === "DisruptionTarget") ?? false;
  return spec.podFailurePolicy?.rules?.find(({ onExitCodes }) => {
    if (!onExitCodes) return isDisrupted;
    const isListed = onExitCodes.values?.includes(exitCode) ?? false;
    return exitCode !== 0 && isListed === (onExitCodes.operator === "In");
  })?.action;
}

/** The failures of its index before this pod, from its annotations: counted and ignored. */
export function failuresBefore({ metadata }: Pod): { counted: number; ignored: number } {
  const read = (name: string) => Number(metadata.annotations?.[`batch.kubernetes.io/${name}`] ?? 0);
  return {
    counted: read("job-index-failure-count"),
    ignored: read("job-index-ignored-failure-count"),
  };
}

export function readIndexes({ spec }: Job, text = ""): Set<number> {
  const indexes = new Set<number>();
  for (const part of text.split(",").filter((each) => each !== "")) {
    const [first = 0, last = first] = part.split("-").map(Number);
    for (let index = first; index <= last; index++) {
      if (index < (spec.completions ?? 0)) indexes.add(index);
    }
  }
  return indexes;
}

function failsIndex(job: Job, pod: Pod): boolean {
  const limit = job.spec.backoffLimitPerIndex;
  if (limit === undefined || !isFailure(job, pod)) return false;
  const action = actionFor(job, pod);
  if (action === "FailIndex") return true;
  return action !== "Ignore" && failuresBefore(pod).counted >= limit;
}

function isRunning({ status }: Pod): boolean {
  return status.phase !== "Succeeded" && status.phase !== "Failed";
}

function isGoing({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}
