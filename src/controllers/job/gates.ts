/**
 * Pure: the effect of feature gates on the controller. A field whose feature is off is removed from
 * the Job before anything else sees it, so that the rules need not check gates. Two effects remain:
 * the index label (new-pod.ts) and the status (this file).
 */
import type { FeatureGates } from "../../api/feature-gates.ts";
import type { Job, JobSpec, JobStatus } from "../../api/generated/batch.ts";
import { findCondition } from "../../api/job-conditions.ts";
import { isIndexed, managerOf } from "./job-facts.ts";
import { BUILT_IN_MANAGER } from "./names.ts";
import type { ComposedStatus } from "./status.ts";

/** Why a Job is not synced: the reason and message of its event. */
export interface Skip {
  readonly reason: string;
  readonly message: string;
}

/**
 * Called for unfinished Jobs. A newer API server may have stored a completion mode that is unknown
 * here.
 */
export function findSkip({ spec }: Job, gates: FeatureGates): Skip | undefined {
  const { completionMode = "NonIndexed" } = spec;
  if (isIndexed(spec)) return gates.IndexedJob ? undefined : INDEXED_JOB_DISABLED;
  return completionMode === "NonIndexed" ? undefined : UNKNOWN_COMPLETION_MODE;
}

const INDEXED_JOB_DISABLED: Skip = {
  reason: "IndexedJobDisabled",
  message: "Skipped Indexed Job sync because feature is disabled.",
};
const UNKNOWN_COMPLETION_MODE: Skip = {
  reason: "UnknownCompletionMode",
  message: "Skipped Job sync because completion mode is unknown",
};

/** If the feature is off, every Job belongs to the built-in controller, whatever managedBy says. */
export function effectiveManagerOf(job: Job, gates: FeatureGates): string {
  return gates.JobManagedBy ? managerOf(job) : BUILT_IN_MANAGER;
}

type PolicyField =
  | "backoffLimitPerIndex"
  | "maxFailedIndexes"
  | "podFailurePolicy"
  | "successPolicy"
  | "podReplacementPolicy";

/**
 * Returns the Job without the fields whose features are off. If nothing has to be removed, returns
 * the same object.
 */
export function effectiveJob(job: Job, gates: FeatureGates): Job {
  const fields: readonly (readonly [PolicyField, boolean])[] = [
    ["backoffLimitPerIndex", gates.JobBackoffLimitPerIndex],
    ["maxFailedIndexes", gates.JobBackoffLimitPerIndex],
    ["podFailurePolicy", gates.JobPodFailurePolicy],
    ["successPolicy", gates.JobSuccessPolicy],
    ["podReplacementPolicy", gates.JobPodReplacementPolicy],
  ];
  const unseen = fields.filter(([field, isOn]) => !isOn && job.spec[field] !== undefined);
  if (unseen.length === 0) return job;
  const spec: { -readonly [Field in keyof JobSpec]: JobSpec[Field] } = { ...job.spec };
  for (const [field] of unseen) delete spec[field];
  return { ...job, spec };
}

/** The field `terminating` belongs to the feature JobPodReplacementPolicy. */
export function shownStatus(status: JobStatus, gates: FeatureGates): JobStatus {
  if (gates.JobPodReplacementPolicy) return status;
  const { terminating: _terminating, ...shown } = status;
  return shown;
}

/**
 * Without these two features a Job is finished as soon as its pods are counted: the end is not
 * announced beforehand (except if a policy caused it) and does not wait for terminating pods.
 */
export function withEarlierEnd(
  composed: ComposedStatus,
  job: Job,
  { JobManagedBy, JobPodReplacementPolicy }: FeatureGates,
): ComposedStatus {
  const { status, verdict } = composed;
  if (JobManagedBy || JobPodReplacementPolicy || !verdict) return composed;
  const { terminating: _terminating, conditions = [], ...rest } = status;
  const isAnnounced = findCondition(job, verdict.type) !== undefined;
  const kept =
    isAnnounced || POLICY_REASONS.includes(verdict.reason)
      ? conditions
      : conditions.filter(({ type }) => type !== verdict.type);
  return { ...composed, status: { ...rest, ...(kept.length > 0 ? { conditions: kept } : {}) } };
}

const POLICY_REASONS = ["PodFailurePolicy", "SuccessPolicy"];
