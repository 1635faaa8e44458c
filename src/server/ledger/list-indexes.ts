/**
 * Lists the indexes of a Job in pages and by state, and finds a single one. The sources are the
 * status of the Job, its pods, and the ledger notes about deleted pods.
 *
 * Reading order: this file, src/ledger/index-state (the state of an index, and where to search for
 * states), attempt-reader, job-index (the object). sweep removes notes that are no longer needed.
 */
import { notFound } from "../../api/errors.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Pod } from "../../api/generated/core.ts";
import { addIndex, emptyIndexes, hasIndex, parseIndexes } from "../../api/index-set.ts";
import { finishOf } from "../../api/job-conditions.ts";
import type { FormerIndex } from "../../api/work-list/item-history.ts";
import { openPast } from "../../api/work-list/opened-list.ts";
import type { ListObject } from "../../api/work-list/stored-list.ts";
import { type Attempt, currentAttempt } from "../../ledger/attempt.ts";
import {
  candidates,
  type JobIndexes,
  merged,
  type NextIndex,
  stateAfterJob,
  stateOf,
} from "../../ledger/index-state.ts";
import type { IndexState } from "../../ledger/index-states.ts";
import type { JobName } from "../../ledger/keys.ts";
import { CONTINUES_FROM, type Story } from "../../ledger/story.ts";
import type { StoredObjects } from "../../store/types.ts";
import { ACTIVE_PODS } from "../indexes.ts";
import { AttemptReader } from "./attempt-reader.ts";
import { composeJobIndex, type JobIndex, type JobIndexParts } from "./job-index.ts";
import { findStory } from "./stories.ts";

export interface IndexQuery {
  readonly states: ReadonlySet<IndexState>;
  /** The range of indexes, including `from` but not `end`. */
  readonly from: number;
  readonly end: number;
  readonly limit: number;
  readonly matches: (index: JobIndex) => boolean;
}

export interface IndexPage {
  readonly items: readonly JobIndex[];
  /** The last index that was examined, if more may follow. */
  readonly last?: number;
  /** How many indexes follow without a filter; unknown if the Job was deleted. */
  readonly following?: number;
}

/**
 * A page ends early if it examines this many indexes, so that other requests do not wait too long.
 */
const MAX_LOOKED_AT = 10_000;

export function listIndexes(store: StoredObjects, name: JobName, query: IndexQuery): IndexPage {
  const ledger = openLedger(store, name);
  const { completions } = ledger;
  const items: JobIndex[] = [];
  let lookedAt = 0;
  let last: number | undefined;
  for (const index of merged(ledger.candidates(query.states), query.from)) {
    if (index >= query.end) break;
    if (last !== undefined && (items.length >= query.limit || lookedAt >= MAX_LOOKED_AT)) {
      return { items, last, ...(completions ? { following: completions - last - 1 } : {}) };
    }
    last = index;
    lookedAt++;
    const found = ledger.read(index);
    if (!query.states.has(found.state)) continue;
    const item = composeJobIndex({ ...ledger.common, index, ...found });
    if (query.matches(item)) items.push(item);
  }
  return { items };
}

/** Throws if there is no such Job; undefined if it has no such index. */
export function findIndex(
  store: StoredObjects,
  name: JobName,
  index: number | undefined,
): JobIndex | undefined {
  const { completions, common, read } = openLedger(store, name);
  if (index === undefined || (completions !== undefined && index >= completions)) return undefined;
  const found = read(index);
  if (completions === undefined && found.attempts.length === 0) return undefined;
  return composeJobIndex({ ...common, index, ...found });
}

interface Ledger {
  /** Absent if the Job was deleted: its indexes are then those that were attempted. */
  readonly completions?: number;
  /** The fields that all its indexes share. */
  readonly common: Omit<JobIndexParts, "index" | "state" | "attempts">;
  readonly candidates: (states: ReadonlySet<IndexState>) => readonly NextIndex[];
  readonly read: (index: number) => Pick<JobIndexParts, "state" | "attempts">;
}

function openLedger(store: StoredObjects, name: JobName): Ledger {
  const { namespace, jobName } = name;
  const key = { resource: "jobs.batch", namespace, name: jobName };
  const job = store.get(key) as Job | undefined;
  const story = findStory(store, name);
  if (job) return ledgerOfJob(store, name, job, story);
  if (!story) throw notFound({ group: "batch", resource: "jobs" }, jobName);
  // How items moved between indexes is unknown, because the item list was deleted with the Job.
  const reader = new AttemptReader(store, name, story.unmoved);
  const scout = new AttemptReader(store, name, story.unmoved);
  return {
    common: name,
    candidates: () => [(from) => scout.nextIndex(from)],
    read: (index) => {
      const attempts = reader.read(index);
      return { attempts, state: stateAfterJob(attempts.at(-1)) };
    },
  };
}

function ledgerOfJob(
  store: StoredObjects,
  name: JobName,
  job: Job,
  story: Story | undefined,
): Ledger {
  const { uid = "", creationTimestamp } = job.metadata;
  const known = indexesOf(store, job);
  const jobs = new Set([...(story?.unmoved ?? []), uid]);
  const readFormer = formerAttempts(store, name, job);
  const reader = new AttemptReader(store, name, jobs);
  // A second reader, because it runs ahead: one reader would have to jump back and forth.
  const scout = new AttemptReader(store, name, jobs);
  const owner = { apiVersion: "batch/v1", kind: "Job", name: name.jobName, uid };
  const isUncounted = ({ pod, podUID }: Attempt): boolean => {
    const found = store.get({ resource: "pods", namespace: name.namespace, name: pod });
    return found?.metadata.uid === podUID && (found.metadata.finalizers?.length ?? 0) > 0;
  };
  return {
    completions: known.completions,
    common: { ...name, owner, ...(creationTimestamp ? { created: creationTimestamp } : {}) },
    candidates: (states) => candidates(known, states, (from) => scout.nextIndex(from)),
    read: (index) => {
      const own = reader.read(index);
      const over = readFormer ? [...readFormer(index), ...own] : own;
      const current = known.current.get(index);
      const state = stateOf(known, index, over.at(-1), isUncounted);
      return { state, attempts: current ? [...over, ...current] : over };
    },
  };
}

/** The attempts at an item while it had other indexes; undefined if no item ever moved. */
function formerAttempts(
  store: StoredObjects,
  { namespace }: JobName,
  job: Job,
): ((index: number) => readonly Attempt[]) | undefined {
  const findFormer = openPast(job, ({ kind, name }) => {
    const resource = kind === "Secret" ? "secrets" : "configmaps";
    return store.get({ resource, namespace, name }) as ListObject | undefined;
  });
  if (!findFormer) return undefined;
  const readers = new Map<string, AttemptReader>();
  const readerOf = (jobName: string): AttemptReader => {
    const known = readers.get(jobName) ?? new AttemptReader(store, { namespace, jobName }, NO_JOBS);
    readers.set(jobName, known);
    return known;
  };
  return (index) =>
    gathered(findFormer(index)).flatMap(({ name, index: former, uids }) =>
      readerOf(name).read(former, uids),
    );
}

const NO_JOBS: ReadonlySet<string> = new Set();

interface FormerPlace {
  readonly name: string;
  readonly index: number;
  readonly uids: Set<string>;
}

/** Merges consecutive Jobs in which the item had the same index, to look it up once. */
function gathered(links: readonly FormerIndex[]): readonly FormerPlace[] {
  const places: FormerPlace[] = [];
  for (const { name, uid, index } of links) {
    const last = places.at(-1);
    if (last?.name === name && last.index === index) last.uids.add(uid);
    else places.push({ name, index, uids: new Set([uid]) });
  }
  return places;
}

function indexesOf(store: StoredObjects, job: Job): JobIndexes {
  const { uid = "", namespace = "" } = job.metadata;
  const { completions, completed, failed } = settledIndexes(job);
  const current = new Map<number, Attempt[]>();
  const currentIndexes = emptyIndexes();
  const finish = finishOf(job);
  const isFinished = finish !== undefined;
  const lookup = { index: ACTIVE_PODS, value: uid };
  // A finished Job has no active pods, but may have left thousands of finished ones.
  const active = isFinished ? [] : (store.list("pods", { namespace, lookup }).items as Pod[]);
  for (const pod of active) {
    const placed = currentAttempt(pod);
    if (!placed || placed.attempt.jobUID !== uid || placed.index >= completions) continue;
    const isLeaving = pod.metadata.deletionTimestamp !== undefined;
    const { index } = placed;
    if (isLeaving && (hasIndex(completed, index) || hasIndex(failed, index))) continue;
    current.set(index, [...(current.get(index) ?? []), placed.attempt]);
    addIndex(currentIndexes, index);
  }
  const isComplete = finish?.type === "Complete";
  return { uid, completions, completed, failed, isFinished, isComplete, current, currentIndexes };
}

type SettledIndexes = Pick<JobIndexes, "completions" | "completed" | "failed">;

/** Caches the parsed index sets, so that each page does not parse the same text again. */
const settled = new WeakMap<Job, SettledIndexes>();

function settledIndexes(job: Job): SettledIndexes {
  const known = settled.get(job);
  if (known) return known;
  const { spec, status, metadata } = job;
  const completions = spec.completionMode === "Indexed" ? (spec.completions ?? 0) : 0;
  const before = metadata.annotations?.[CONTINUES_FROM] ?? "";
  // The status of a Job that continues another includes these indexes only after its controller has
  // seen it.
  const completed = status.completedIndexes || before;
  const read = {
    completions,
    completed: parseIndexes(completed, completions),
    failed: parseIndexes(status.failedIndexes ?? "", completions),
  };
  settled.set(job, read);
  return read;
}
