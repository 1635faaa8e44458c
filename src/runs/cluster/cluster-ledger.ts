/**
 * The ledger of runs on a cluster, read from their Jobs, the pods that still exist, and the
 * ConfigMap in which `tally controller` records the attempts of deleted pods.
 */
import { notFound } from "../../api/errors.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import {
  addIndex,
  emptyIndexes,
  firstExcept,
  hasIndex,
  parseIndexes,
} from "../../api/index-set.ts";
import { finishOf } from "../../api/job-conditions.ts";
import { jobs } from "../../api/resources.ts";
import { COMPLETED_INDEXES, FAILED_INDEXES } from "../../api/work-list/names.ts";
import type { FormerIndexesAt } from "../../api/work-list/opened-list.ts";
import {
  type Attempt,
  attemptsEndedBy,
  currentAttempt,
  type PlacedAttempt,
} from "../../ledger/attempt.ts";
import { type JobIndexes, stateOf } from "../../ledger/index-state.ts";
import type { JobLedger } from "../../ledger/job-ledger.ts";
import type { IndexStory, LedgerReader, StoryPage } from "../../ledger/reader.ts";
import { CONTINUES } from "../../ledger/story.ts";

/** A run at one moment. */
export interface RunSnapshot {
  /** The run as one Job. */
  readonly job: Job;
  /** With the indexes of the run. */
  readonly pods: readonly Pod[];
  readonly noted: JobLedger | undefined;
  /** Whether a controller records the attempts of deleted pods. */
  readonly isNoted: boolean;
  /** Which indexes of former Jobs its items had; absent if they never moved. */
  readonly formerAt?: FormerIndexesAt;
}

export interface ClusterLedgerOptions {
  readonly read: (runName: string) => Promise<RunSnapshot | undefined>;
  readonly nowMs: () => number;
  readonly pause?: (milliseconds: number) => Promise<void>;
}

/** A snapshot is reused this long: callers ask for one index after the other. */
const SNAPSHOT_MS = 1_000;
const PAGE = 10_000;
/** A pod may be deleted before its attempt is recorded. Readers wait this long at most. */
const NOTED_BY_MS = 5_000;
const LOOK_AGAIN_MS = 200;

export function clusterLedger(options: ClusterLedgerOptions): LedgerReader {
  const { nowMs } = options;
  let known: KnownStories | undefined;
  const storiesOf = async (name: string, since?: string): Promise<Stories> => {
    if (known?.name === name && isFresh(known, since)) return known.stories;
    const { job, stories } = await readStories(options, name);
    known = { name, atMs: nowMs(), revision: Number(job.metadata.resourceVersion), stories };
    return stories;
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

async function readStories(
  { read, nowMs, pause = sleep }: ClusterLedgerOptions,
  name: string,
): Promise<{ readonly job: Job; readonly stories: Stories }> {
  const untilMs = nowMs() + NOTED_BY_MS;
  for (;;) {
    const snapshot = await read(name);
    if (!snapshot) throw notFound(jobs, name);
    const { job } = snapshot;
    const stories = openStories(snapshot);
    if (!lacksAttempts(snapshot, stories) || nowMs() >= untilMs) return { job, stories };
    await pause(LOOK_AGAIN_MS);
  }
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Whether an attempt at an index that has ended is not recorded yet. */
function lacksAttempts({ job, noted, isNoted }: RunSnapshot, stories: Stories): boolean {
  if (!isNoted || noted?.isCut) return false;
  const { uid, annotations = {} } = job.metadata;
  const { completed, failed } = settledIndexes(job);
  const before = [COMPLETED_INDEXES, FAILED_INDEXES].map((name) =>
    parseIndexes(annotations[name] ?? "", stories.completions),
  );
  const settled = [completed, failed].flatMap((set) => firstExcept(set, before, set.size));
  return settled.some((index) => !stories.endedAt(index).some(({ jobUID }) => jobUID === uid));
}

interface KnownStories {
  readonly name: string;
  readonly atMs: number;
  /** That of the Job. It was read before its pods, so that no counted attempt is missing. */
  readonly revision: number;
  readonly stories: Stories;
}

interface Stories {
  readonly completions: number;
  at(index: number): IndexStory;
  /** Attempts that have ended, oldest first. */
  endedAt(index: number): readonly Attempt[];
}

function openStories({ job, pods, noted, formerAt }: RunSnapshot): Stories {
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
  const attemptsAt = (index: number) =>
    (over.get(index) ?? []).toSorted(byAge).map(({ attempt }) => attempt);
  const endedAt = formerAt ? throughHistory(job, formerAt, attemptsAt) : attemptsAt;
  return {
    completions: known.completions,
    endedAt,
    at: (index) => {
      const ended = endedAt(index);
      const current = known.current.get(index) ?? [];
      const isUncounted = ({ podUID }: Attempt) => uncounted.has(podUID);
      const state = stateOf(known, index, ended.at(-1), isUncounted);
      return { index, state, attempts: [...ended, ...current] };
    },
  };
}

/** The attempts at an item, including those at its former indexes. */
function throughHistory(
  { metadata: { uid = "", annotations = {} } }: Job,
  formerAt: FormerIndexesAt,
  attemptsAt: (index: number) => readonly Attempt[],
): (index: number) => readonly Attempt[] {
  const own = new Set([uid, ...(annotations[CONTINUES] ?? "").split(",")]);
  return (index) => [
    ...formerAt(index).flatMap((former) =>
      attemptsAt(former.index).filter(({ jobUID }) => jobUID === former.uid),
    ),
    ...attemptsAt(index).filter(({ jobUID }) => own.has(jobUID)),
  ];
}

function indexesOf(job: Job, pods: readonly Pod[]): JobIndexes {
  const { completions, completed, failed } = settledIndexes(job);
  const current = new Map<number, Attempt[]>();
  const currentIndexes = emptyIndexes();
  const finish = finishOf(job);
  for (const pod of finish ? [] : pods) {
    const placed = currentAttempt(pod);
    if (!placed || placed.index >= completions) continue;
    const { index, attempt } = placed;
    const isLeaving = pod.metadata.deletionTimestamp !== undefined;
    if (isLeaving && (hasIndex(completed, index) || hasIndex(failed, index))) continue;
    current.set(index, [...(current.get(index) ?? []), attempt]);
    addIndex(currentIndexes, index);
  }
  const uid = job.metadata.uid ?? "";
  const isComplete = finish?.type === "Complete";
  const facts = { uid, completions, completed, failed, isFinished: finish !== undefined };
  return { ...facts, isComplete, current, currentIndexes };
}

function settledIndexes({ spec, status }: Job) {
  const completions = spec.completionMode === "Indexed" ? (spec.completions ?? 0) : 0;
  return {
    completions,
    completed: parseIndexes(status.completedIndexes ?? "", completions),
    failed: parseIndexes(status.failedIndexes ?? "", completions),
  };
}

/** Times are in canonical form, so that their texts sort in order. */
function byAge(one: PlacedAttempt, other: PlacedAttempt): number {
  if (one.created !== other.created) return one.created < other.created ? -1 : 1;
  return (one.attempt.endTime ?? "") < (other.attempt.endTime ?? "") ? -1 : 1;
}
