/**
 * The indexes of a Job, in pages and by state, and one of them: out of the status of the Job, its
 * pods and what the ledger noted of pods that are gone.
 *
 * Reading order: this file, index-state (how an index stands, and where to look for those that
 * stand as asked), attempt-reader, job-index (the object). sweep removes what nobody reads any
 * more.
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
  /** From here, and up to and without the end. */
  readonly from: number;
  readonly end: number;
  readonly limit: number;
  readonly matches: (index: JobIndex) => boolean;
}

export interface IndexPage {
  readonly items: readonly JobIndex[];
  /** The last index that was looked at, where more may follow. */
  readonly last?: number;
  /** How many follow if none is left out; unknown for a Job that is gone. */
  readonly following?: number;
}

/** A page that finds little to show ends early: others wait for their answers, too. */
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

/** Throws where there is no such Job; undefined where it has no such index. */
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
  /** Absent for a Job that is gone: its indexes are those that were attempted. */
  readonly completions?: number;
  /** What all its indexes share. */
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
  // How items had moved before is gone with the Job's list.
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
  // It goes ahead of the other one, which would have to jump back and forth.
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

/** The attempts at an item from when it had other indexes; undefined where none ever moved. */
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

/** An item that several Jobs in a row had at one index is looked up once. */
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
  // A Job is finished when the last of its pods is over, and may have left thousands.
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

/** Reading a page must not take apart the same text again that the last page did. */
const settled = new WeakMap<Job, SettledIndexes>();

function settledIndexes(job: Job): SettledIndexes {
  const known = settled.get(job);
  if (known) return known;
  const { spec, status, metadata } = job;
  const completions = spec.completionMode === "Indexed" ? (spec.completions ?? 0) : 0;
  const before = metadata.annotations?.[CONTINUES_FROM] ?? "";
  // A Job that goes on counts them itself, but not before its controller has seen it.
  const completed = status.completedIndexes || before;
  const read = {
    completions,
    completed: parseIndexes(completed, completions),
    failed: parseIndexes(status.failedIndexes ?? "", completions),
  };
  settled.set(job, read);
  return read;
}
