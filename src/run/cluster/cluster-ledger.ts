/**
 * The ledger of runs on a cluster: out of the Jobs, the pods that are still there, and the
 * ConfigMap in which `tally controller` notes the attempts of pods that may go.
 */
import { notFound } from "../../api/errors.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import { addIndex, emptyIndexes, hasIndex, parseIndexes } from "../../api/index-set.ts";
import { isFinished } from "../../api/job-finished.ts";
import { jobs } from "../../api/resources.ts";
import {
  type Attempt,
  attemptsEndedBy,
  currentAttempt,
  type PlacedAttempt,
} from "../../ledger/attempt.ts";
import { type JobIndexes, stateOf } from "../../ledger/index-state.ts";
import type { JobLedger } from "../../ledger/job-ledger.ts";
import type { IndexStory, LedgerReader, StoryPage } from "../../ledger/reader.ts";

/** A run at one moment. */
export interface RunSnapshot {
  /** As one Job. */
  readonly job: Job;
  /** With the indexes of the run. */
  readonly pods: readonly Pod[];
  readonly noted: JobLedger | undefined;
}

export interface ClusterLedgerOptions {
  readonly read: (runName: string) => Promise<RunSnapshot | undefined>;
  readonly nowMs: () => number;
}

/** Whoever asks for one index after the other does not mean a thousand requests. */
const SNAPSHOT_MS = 1_000;
const PAGE = 10_000;

export function clusterLedger({ read, nowMs }: ClusterLedgerOptions): LedgerReader {
  let known: KnownStories | undefined;
  const storiesOf = async (name: string, since?: string): Promise<Stories> => {
    if (known?.name === name && isFresh(known, since)) return known.stories;
    const snapshot = await read(name);
    if (!snapshot) throw notFound(jobs, name);
    const revision = Number(snapshot.job.metadata.resourceVersion);
    known = { name, atMs: nowMs(), revision, stories: openStories(snapshot) };
    return known.stories;
  };
  const isFresh = ({ atMs, revision }: KnownStories, since: string | undefined): boolean => {
    return since === undefined ? nowMs() - atMs < SNAPSHOT_MS : revision >= Number(since);
  };
  return {
    list: async ({ jobName }, { state, from = "0", limit = PAGE } = {}): Promise<StoryPage> => {
      const stories = await storiesOf(jobName);
      const items: IndexStory[] = [];
      let index = Number(from);
      for (; index < stories.completions && items.length < limit; index++) {
        const story = stories.at(index);
        if (state === undefined || story.state === state) items.push(story);
      }
      return { items, ...(index < stories.completions ? { next: String(index) } : {}) };
    },
    find: async ({ jobName }, index, { since } = {}) => {
      const stories = await storiesOf(jobName, since);
      return index < stories.completions ? stories.at(index) : undefined;
    },
  };
}

interface KnownStories {
  readonly name: string;
  readonly atMs: number;
  /** Of the Job. It was read before its pods, so all attempts that it counts are there. */
  readonly revision: number;
  readonly stories: Stories;
}

interface Stories {
  readonly completions: number;
  at(index: number): IndexStory;
}

function openStories({ job, pods, noted }: RunSnapshot): Stories {
  const over = new Map<number, PlacedAttempt[]>();
  const uncounted = new Set<string>();
  const seen = new Set<string>();
  const add = (placed: PlacedAttempt): void => {
    const key = `${placed.attempt.podUID} ${placed.run}`;
    if (seen.has(key)) return;
    seen.add(key);
    over.set(placed.index, [...(over.get(placed.index) ?? []), placed]);
  };
  for (const pod of pods) {
    for (const placed of attemptsEndedBy({ pod, isDeleted: false, nowMs: 0 })) add(placed);
    if ((pod.metadata.finalizers ?? []).length > 0) uncounted.add(pod.metadata.uid ?? "");
  }
  for (const placed of noted?.attempts ?? []) add(placed);
  const known = indexesOf(job, pods);
  return {
    completions: known.completions,
    at: (index) => {
      const ended = (over.get(index) ?? []).toSorted(byAge).map(({ attempt }) => attempt);
      const current = known.current.get(index) ?? [];
      const isUncounted = ({ podUID }: Attempt) => uncounted.has(podUID);
      const state = stateOf(known, index, ended.at(-1), isUncounted);
      return { index, state, attempts: [...ended, ...current] };
    },
  };
}

function indexesOf(job: Job, pods: readonly Pod[]): JobIndexes {
  const { spec, status, metadata } = job;
  const completions = spec.completionMode === "Indexed" ? (spec.completions ?? 0) : 0;
  const completed = parseIndexes(status.completedIndexes ?? "", completions);
  const failed = parseIndexes(status.failedIndexes ?? "", completions);
  const current = new Map<number, Attempt[]>();
  const currentIndexes = emptyIndexes();
  for (const pod of isFinished(job) ? [] : pods) {
    const placed = currentAttempt(pod);
    if (!placed || placed.index >= completions) continue;
    const { index, attempt } = placed;
    const isLeaving = pod.metadata.deletionTimestamp !== undefined;
    if (isLeaving && (hasIndex(completed, index) || hasIndex(failed, index))) continue;
    current.set(index, [...(current.get(index) ?? []), attempt]);
    addIndex(currentIndexes, index);
  }
  const uid = metadata.uid ?? "";
  const facts = { uid, completions, completed, failed, isFinished: isFinished(job) };
  return { ...facts, current, currentIndexes };
}

/** Times are canonical, and so in the order of their texts. */
function byAge(one: PlacedAttempt, other: PlacedAttempt): number {
  if (one.created !== other.created) return one.created < other.created ? -1 : 1;
  return (one.attempt.endTime ?? "") < (other.attempt.endTime ?? "") ? -1 : 1;
}
