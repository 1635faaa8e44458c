/**
 * Pure: the annotations by which a Job requests features that Kubernetes does not have. The server
 * accepts any value; for an invalid one the controller records a Warning event (a complaint).
 */
import type { Job, JobStatus } from "../../api/generated/batch.ts";
import { parseGoDuration } from "../../api/go-duration.ts";
import { emptyIndexes, type IndexSet, parseIndexes } from "../../api/index-set.ts";
import { PODS_AHEAD } from "../../api/pods-ahead.ts";
import { FAILED_BEFORE, HALT } from "../../api/work-list/names.ts";
import type { Backoff } from "../../base/backoff.ts";
import { isIndexed } from "./job-facts.ts";
import {
  BACKOFF_BASE,
  BACKOFF_CAP,
  BACKOFF_ORDER,
  COMPLETED_INDEXES,
  FAILED_INDEXES,
  KEEP_PODS,
  RERUN_INDEXES,
  SURPLUS_PODS,
} from "./names.ts";

/** The reason and message of a Warning event. */
export interface Complaint {
  readonly reason: string;
  readonly message: string;
}

export function complaintsOf(job: Job): readonly Complaint[] {
  if (job.metadata.annotations === undefined) return [];
  const found: Complaint[] = [];
  for (const [annotation, { reason, problemOf }] of Object.entries(ANSWERS)) {
    const text = job.metadata.annotations[annotation];
    const problem = text === undefined ? undefined : problemOf(job, text);
    if (problem) found.push({ reason, message: `${annotation} ${problem}` });
  }
  return found;
}

/** A text that changes only if the annotations have to be checked for complaints again. */
export function wishesOf({ metadata, spec }: Job): string {
  const { uid, annotations } = metadata;
  const wishes = annotations ? Object.keys(ANSWERS).map((key) => annotations[key] ?? "") : [];
  return [uid, spec.completions, ...wishes].join("\n");
}

/** True if the Job must not start: it is unknown which indexes are already completed or failed. */
export function isIncomprehensible(job: Job): boolean {
  const settled = [COMPLETED_INDEXES, FAILED_INDEXES];
  return isUnwritten(job.status) && settled.some((each) => "problem" in readIndexes(job, each));
}

/**
 * Indexes that were completed before the Job started. Only read until the first status is written.
 */
export function completedBefore(job: Job): IndexSet {
  return isUnwritten(job.status) ? indexesOf(job, COMPLETED_INDEXES) : emptyIndexes();
}

/**
 * Indexes that failed before the Job started and must not run. Only read until the first status is
 * written.
 */
export function failedBefore(job: Job): IndexSet {
  return isUnwritten(job.status) ? indexesOf(job, FAILED_INDEXES) : emptyIndexes();
}

/**
 * How many failed indexes do not count against a limit, because they failed before the Job started.
 */
export function pardonedFailures({ metadata }: Job): number {
  const count = Number(metadata.annotations?.[FAILED_BEFORE] ?? 0);
  return Number.isInteger(count) && count > 0 ? count : 0;
}

/** The indexes that the Job's annotation asks to run again. */
export function rerunRequest(job: Job): IndexSet {
  return indexesOf(job, RERUN_INDEXES);
}

/** The back-off from the Job's annotations, or `usual` if it has none. */
export function backoffOf({ metadata }: Job, usual: Backoff): Backoff {
  const { [BACKOFF_BASE]: base, [BACKOFF_CAP]: cap } = metadata.annotations ?? {};
  if (base === undefined && cap === undefined) return usual;
  const firstMs = parseDelayMs(base ?? "") ?? usual.firstMs;
  return { ...usual, firstMs, maxMs: parseDelayMs(cap ?? "") ?? usual.maxMs };
}

export type KeptPods = "all" | "failed" | "none";

/** Which finished pods are kept after they are counted. */
export function keptPodsOf({ metadata }: Job): KeptPods {
  const asked = metadata.annotations?.[KEEP_PODS];
  return asked === "failed" || asked === "none" ? asked : "all";
}

/** Whether other indexes may start before indexes that wait after a failure. */
export function letsOthersOvertake({ metadata }: Job): boolean {
  return metadata.annotations?.[BACKOFF_ORDER] === "overtake";
}

/**
 * Whether running pods may finish when parallelism is reduced. In this mode a pod that the Job
 * stops, because the Job is suspended or has failed, is counted by how it actually ends: if it
 * succeeds, its index is completed.
 */
export function letsSurplusFinish({ metadata }: Job): boolean {
  return metadata.annotations?.[SURPLUS_PODS] === "finish";
}

/** Whether running pods may finish after too many indexes have failed. */
export function lastsUntilPodsEnd({ metadata }: Job): boolean {
  return metadata.annotations?.[HALT] === "soon";
}

function isUnwritten({ startTime, uncountedTerminatedPods }: JobStatus): boolean {
  return startTime === undefined && uncountedTerminatedPods === undefined;
}

type ReadIndexes = { readonly indexes: IndexSet } | { readonly problem: string };

function indexesOf(job: Job, annotation: string): IndexSet {
  const read = readIndexes(job, annotation);
  return "indexes" in read ? read.indexes : emptyIndexes();
}

/** Parses a list of indexes in any order, in the format that the status of a Job uses. */
function readIndexes({ metadata, spec }: Job, annotation: string): ReadIndexes {
  const text = metadata.annotations?.[annotation] ?? "";
  if (text.trim() === "") return { indexes: emptyIndexes() };
  if (!isIndexed(spec)) return { problem: "is for Indexed Jobs only" };
  const completions = spec.completions ?? 0;
  for (const part of text.split(",")) {
    const [, first, last = first] = /^\s*([0-9]+)(?:-([0-9]+))?\s*$/.exec(part) ?? [];
    if (first === undefined || Number(first) > Number(last)) {
      return {
        problem: `must be a list such as "3,7-9": ${JSON.stringify(part)} is not part of one`,
      };
    }
    if (Number(last) >= completions) {
      return { problem: `has index ${last}, and the Job has 0 to ${completions - 1}` };
    }
  }
  return { indexes: parseIndexes(text.replaceAll(/\s/g, ""), completions) };
}

function parseDelayMs(text: string): number | undefined {
  const parsed = parseGoDuration(text);
  if ("problem" in parsed || parsed.nanoseconds < 0n) return undefined;
  return Number(parsed.nanoseconds) / 1e6;
}

interface Answer {
  readonly reason: string;
  readonly problemOf: (job: Job, text: string) => string | undefined;
}

const ANSWERS: { readonly [annotation: string]: Answer } = {
  [COMPLETED_INDEXES]: {
    reason: "InvalidCompletedIndexes",
    problemOf: (job) => problemOfSettled(job, COMPLETED_INDEXES),
  },
  [FAILED_INDEXES]: {
    reason: "InvalidFailedIndexes",
    problemOf: (job) => problemOfSettled(job, FAILED_INDEXES),
  },
  [RERUN_INDEXES]: {
    reason: "InvalidRerunIndexes",
    problemOf: (job) => problemIn(readIndexes(job, RERUN_INDEXES)),
  },
  [BACKOFF_BASE]: { reason: "InvalidBackoff", problemOf: (_, text) => problemOfDelay(text) },
  [BACKOFF_CAP]: { reason: "InvalidBackoff", problemOf: (_, text) => problemOfDelay(text) },
  [KEEP_PODS]: { reason: "InvalidKeepPods", problemOf: (_, text) => problemOfKept(text) },
  [HALT]: { reason: "InvalidHalt", problemOf: (_, text) => problemOfHalt(text) },
  [BACKOFF_ORDER]: { reason: "InvalidBackoffOrder", problemOf: (_, text) => problemOfOrder(text) },
  [PODS_AHEAD]: { reason: "InvalidPodsAhead", problemOf: (_, text) => problemOfAhead(text) },
  [SURPLUS_PODS]: { reason: "InvalidSurplusPods", problemOf: (_, text) => problemOfSurplus(text) },
};

function problemOfSettled(job: Job, annotation: string): string | undefined {
  const problem = isUnwritten(job.status) && problemIn(readIndexes(job, annotation));
  return problem ? `${problem}; the Job is not started` : undefined;
}

function problemIn(read: ReadIndexes): string | undefined {
  return "problem" in read ? read.problem : undefined;
}

function problemOfDelay(text: string): string | undefined {
  if (parseDelayMs(text) !== undefined) return undefined;
  return `must be a duration such as "10s" or "1m30s", not ${JSON.stringify(text)}`;
}

function problemOfAhead(text: string): string | undefined {
  if (/^[0-9]{1,4}$/.test(text)) return undefined;
  return `must be a number such as "64", not ${JSON.stringify(text)}`;
}

function problemOfHalt(text: string): string | undefined {
  if (text === "now" || text === "soon") return undefined;
  return `must be "now" or "soon", not ${JSON.stringify(text)}`;
}

function problemOfKept(text: string): string | undefined {
  if (["all", "failed", "none"].includes(text)) return undefined;
  return `must be "all", "failed" or "none", not ${JSON.stringify(text)}`;
}

function problemOfOrder(text: string): string | undefined {
  if (["hold", "overtake"].includes(text)) return undefined;
  return `must be "hold" or "overtake", not ${JSON.stringify(text)}`;
}

function problemOfSurplus(text: string): string | undefined {
  if (["delete", "finish"].includes(text)) return undefined;
  return `must be "delete" or "finish", not ${JSON.stringify(text)}`;
}
