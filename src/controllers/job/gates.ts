/**
 * Pure: what feature gates change for the controller. A field whose feature is switched off is not
 * seen at all, so that no rule has to ask; what is left are the index label (new-pod.ts) and the
 * status, here.
 */
import type { FeatureGates } from "../../api/feature-gates.ts";
import type { Job, JobSpec, JobStatus } from "../../api/generated/batch.ts";
import { findCondition } from "../../api/job-conditions.ts";
import { isIndexed, managerOf } from "./job-facts.ts";
import { BUILT_IN_MANAGER } from "./names.ts";
import type { ComposedStatus } from "./status.ts";

/** Why a Job is not looked at, in the words of its event. */
export interface Skip {
  readonly reason: string;
  readonly message: string;
}

/** Asked of unfinished Jobs. Someone newer may have stored a mode that is not known here. */
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

/** Without the feature every Job is the built-in controller's, whatever it says. */
export function effectiveManagerOf(job: Job, gates: FeatureGates): string {
  return gates.JobManagedBy ? managerOf(job) : BUILT_IN_MANAGER;
}

type PolicyField =
  | "backoffLimitPerIndex"
  | "maxFailedIndexes"
  | "podFailurePolicy"
  | "successPolicy"
  | "podReplacementPolicy";

/** The Job without what is switched off; the very same one where nothing is. */
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

/** The number of terminating pods came with the policy that waits for them. */
export function shownStatus(status: JobStatus, gates: FeatureGates): JobStatus {
  if (gates.JobPodReplacementPolicy) return status;
  const { terminating: _terminating, ...shown } = status;
  return shown;
}

/**
 * Before these two features a Job was finished as soon as its pods were counted: the end was not
 * announced, unless a policy had brought it about, and did not wait for pods that terminate.
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
