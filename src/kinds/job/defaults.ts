/** Pure: what a Job means where its author said nothing. */
import { DEFAULT_FEATURE_GATES, type FeatureGates } from "../../api/feature-gates.ts";
import type { Job, JobSpec } from "../../api/generated/batch.ts";
import type { Draft } from "../../api/object.ts";
import { setPodTemplateDefaults } from "../pod/defaults.ts";

const DEFAULT_BACKOFF_LIMIT = 6;
/** With a limit per index the Job as a whole has none. */
const UNLIMITED = 2 ** 31 - 1;

export function setJobDefaults(job: Draft<Job>, gates = DEFAULT_FEATURE_GATES, old?: Job): void {
  if (job.spec !== old?.spec) setJobSpecDefaults(job.spec, gates);
  setLabelDefaults(job);
}

function setJobSpecDefaults(spec: Draft<JobSpec>, gates: FeatureGates): void {
  setJobTemplateDefaults(spec);
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  const limitsEachIndex = gates.JobBackoffLimitPerIndex && spec.backoffLimitPerIndex !== undefined;
  spec.backoffLimit ??= limitsEachIndex ? UNLIMITED : DEFAULT_BACKOFF_LIMIT;
  if (gates.IndexedJob) spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  if (gates.JobPodReplacementPolicy) {
    spec.podReplacementPolicy ??=
      spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed";
  }
  spec.manualSelector ??= false;
}

/** All that a CronJob's jobTemplate is given: the rest waits until a Job is made of it. */
export function setJobTemplateDefaults(spec: Draft<JobSpec>): void {
  setPodTemplateDefaults(spec.template);
  for (const rule of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of rule.onPodConditions ?? []) {
      if (pattern.status === "") pattern.status = "True";
    }
  }
}

/**
 * The Job takes the very map of its template, not a copy: preparation tells by it that the labels
 * generated for the pods belong on the Job as well.
 */
function setLabelDefaults(job: Draft<Job>): void {
  const own = job.metadata.labels ?? {};
  const { labels } = job.spec.template.metadata;
  if (labels !== undefined && Object.keys(own).length === 0) job.metadata.labels = labels;
}
