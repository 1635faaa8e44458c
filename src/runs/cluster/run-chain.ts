/**
 * Pure: the Jobs of one run on a cluster, and the run as one Job. If a finished Job cannot
 * continue, further Jobs retry its items; the last Job that has an item has its state.
 */
import type { Job, JobCondition, JobStatus } from "../../api/generated/batch.ts";
import {
  addIndex,
  emptyIndexes,
  formatIndexes,
  hasIndex,
  type IndexSet,
  parseIndexes,
  removeIndex,
} from "../../api/index-set.ts";
import { COMPLETED_INDEXES, RUN } from "../../api/work-list/names.ts";
import { retriedIndexes, retryNumber } from "../compose/compose-item-retry.ts";

export interface RunChain {
  readonly first: Job;
  /** In the order of their creation. */
  readonly retries: readonly Job[];
}

/** Finds the Jobs of a run among those of a namespace. */
export function findChain(jobs: readonly Job[], name: string): RunChain | undefined {
  const first = jobs.find(({ metadata }) => metadata.name === name);
  if (!first) return undefined;
  const retries = jobs.filter(
    (job) => job.metadata.labels?.[RUN] === name && retriedIndexes(job) !== undefined,
  );
  return { first, retries: retries.toSorted((a, b) => retryNumber(a) - retryNumber(b)) };
}

/** The names of the runs that the Jobs are part of. */
export function runNames(jobs: readonly Job[]): readonly string[] {
  const names = jobs.filter((job) => retriedIndexes(job) === undefined);
  return names.map(({ metadata }) => metadata.name ?? "");
}

/** The Job that runs, or ran last. */
export function lastJob({ first, retries }: RunChain): Job {
  return retries.at(-1) ?? first;
}

export function chainJobs({ first, retries }: RunChain): readonly Job[] {
  return [first, ...retries];
}

/** The chain with a new version of its last Job. */
export function withLast({ first, retries }: RunChain, job: Job): RunChain {
  return retries.length === 0
    ? { first: job, retries }
    : { first, retries: [...retries.slice(0, -1), job] };
}

/** Converts an index of one of its Jobs to the index of the run. */
export function indexInRun(job: Job, index: number): number {
  return indexesOf(job)?.[index] ?? index;
}

/** Cached: it is needed for every pod. */
const known = new WeakMap<Job, { readonly indexes: readonly number[] | undefined }>();

function indexesOf(job: Job): readonly number[] | undefined {
  const found = known.get(job) ?? { indexes: retriedIndexes(job) };
  known.set(job, found);
  return found.indexes;
}

/** The run as one Job, with the name of the first and the state of the last. */
export function composeWhole(chain: RunChain): Job {
  const { first, retries } = chain;
  if (retries.length === 0) return first;
  const last = lastJob(chain);
  const before = settledBy([first, ...retries.slice(0, -1)]);
  const now = settledBy(chainJobs(chain));
  const { completions = 0 } = first.spec;
  for (const index of retriedIndexes(last) ?? []) removeIndex(before.completed, index);
  return {
    ...last,
    metadata: {
      ...last.metadata,
      name: first.metadata.name ?? "",
      ...createdOf(first),
      annotations: {
        ...last.metadata.annotations,
        [COMPLETED_INDEXES]: formatIndexes(before.completed),
      },
    },
    spec: { ...last.spec, completions },
    status: {
      ...last.status,
      completedIndexes: formatIndexes(now.completed),
      failedIndexes: formatIndexes(now.failed),
      succeeded: now.completed.size,
      conditions: conditionsOf(last.status, now, completions),
    },
  };
}

function createdOf({ metadata: { creationTimestamp } }: Job) {
  return creationTimestamp === undefined ? {} : { creationTimestamp };
}

interface Settled {
  readonly completed: IndexSet;
  readonly failed: IndexSet;
}

function settledBy(jobs: readonly Job[]): Settled {
  const completed = emptyIndexes();
  const failed = emptyIndexes();
  for (const job of jobs) {
    const { completions = 0 } = job.spec;
    const own = {
      completed: parseIndexes(job.status.completedIndexes ?? "", completions),
      failed: parseIndexes(job.status.failedIndexes ?? "", completions),
    };
    for (let at = 0; at < completions; at++) {
      const index = indexInRun(job, at);
      removeIndex(completed, index);
      removeIndex(failed, index);
      if (hasIndex(own.completed, at)) addIndex(completed, index);
      else if (hasIndex(own.failed, at)) addIndex(failed, index);
    }
  }
  return { completed, failed };
}

/** Items that were not retried stay failed, although the last Job is complete. */
function conditionsOf(
  { conditions = [] }: JobStatus,
  { completed, failed }: Settled,
  completions: number,
): readonly JobCondition[] {
  if (completed.size === completions || failed.size === 0) return conditions;
  return conditions.map((condition) => {
    if (condition.type !== "Complete" || condition.status !== "True") return condition;
    return { ...condition, type: "Failed", reason: "FailedIndexes", message: SOME_FAILED };
  });
}

const SOME_FAILED = "Job has failed indexes";
