/** Pure: the defaults of a Job. */
import { DEFAULT_FEATURE_GATES, type FeatureGates } from "../../api/feature-gates.ts";
import type { Job, JobSpec } from "../../api/generated/batch.ts";
import type { Draft } from "../../api/object.ts";
import { setPodTemplateDefaults } from "../pod/defaults.ts";

const DEFAULT_BACKOFF_LIMIT = 6;
/** If there is a limit per index, the Job as a whole has none. */
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

/**
 * The only defaults of a CronJob's jobTemplate. The others are applied when a Job is created from
 * it.
 */
export function setJobTemplateDefaults(spec: Draft<JobSpec>): void {
  setPodTemplateDefaults(spec.template);
  for (const rule of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of rule.onPodConditions ?? []) {
      if (pattern.status === "") pattern.status = "True";
    }
  }
}

/**
 * The Job shares the label map of its template by reference instead of copying it. By this,
 * preparation recognizes that the labels generated for the pods also belong on the Job.
 */
function setLabelDefaults(job: Draft<Job>): void {
  const own = job.metadata.labels ?? {};
  const { labels } = job.spec.template.metadata;
  if (labels !== undefined && Object.keys(own).length === 0) job.metadata.labels = labels;
}
