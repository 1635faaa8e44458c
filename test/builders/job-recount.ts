/**
 * What a Job's status and pods amount to, counted a second time and in so many words: from plain
 * data, without the scoreboard. Laws compare the controller with it.
 */
import type { Job } from "../../src/api/generated/batch.ts";
import type { Pod } from "../../src/api/generated/core.ts";
import { formatIndexes } from "../../src/api/index-set.ts";
import type { Scoreboard } from "../../src/controllers/job/scoreboard.ts";
import { isTracked } from "./job-world.ts";

export interface Scene {
  readonly job: Job;
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

export function recount({ job, pods }: Scene): Recount {
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
  const counted = uncountedTerminatedPods.succeeded?.length ?? 0;
  return {
    active: all.filter((pod) => isRunning(pod) && !isGoing(pod)),
    terminating: all.filter((pod) => isRunning(pod) && isGoing(pod)),
    completed,
    failedIndexes,
    succeeded: isIndexed(job) ? completed.size : succeeded + counted + successes,
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

/** The action of the first rule that speaks of the pod. */
export function actionFor({ spec }: Job, { status }: Pod): string | undefined {
  const exitCode = status.containerStatuses?.[0]?.state.terminated?.exitCode ?? 0;
  const isDisrupted = status.conditions?.some(({ type }) => type === "DisruptionTarget") ?? false;
  return spec.podFailurePolicy?.rules?.find(({ onExitCodes }) => {
    if (!onExitCodes) return isDisrupted;
    const isListed = onExitCodes.values?.includes(exitCode) ?? false;
    return exitCode !== 0 && isListed === (onExitCodes.operator === "In");
  })?.action;
}

/** Failures of its index before it, as the pod says: counted and ignored. */
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

/** All a board says, as text, whatever the order in which it learned it. */
export function describeBoard(board: Scoreboard): string {
  const uids = (group: ReadonlyMap<unknown, { readonly uid: string }>) =>
    [...group.values()].map(({ uid }) => uid).sort();
  const known = [...board.known.values()].sort((one, other) => (one.uid < other.uid ? -1 : 1));
  const places = ({ indexes, surplus }: Scoreboard["activePlaces"]) => ({
    indexes: formatIndexes(indexes),
    surplus: [...surplus].sort(([one], [other]) => one - other),
  });
  const facts = {
    known: known.map(({ pod: { metadata, status }, ...more }) => [
      metadata.finalizers,
      status,
      more,
    ]),
    active: uids(board.active),
    tracked: uids(board.tracked),
    finished: uids(board.finished),
    retained: [...board.retained].map(([index, { uid }]) => `${index}: ${uid}`).sort(),
    fatal: [...board.fatal].map(([uid, message]) => `${uid}: ${message}`).sort(),
    misplaced: uids(board.misplaced),
    activePlaces: places(board.activePlaces),
    terminatingPlaces: places(board.terminatingPlaces),
    completed: formatIndexes(board.completed),
    failed: formatIndexes(board.failed),
    successRules: board.successRules.map(({ completed }) => completed),
    counts: [board.ready, board.terminating, board.restarts, board.successes, board.failures],
  };
  return JSON.stringify(facts, null, 1);
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
