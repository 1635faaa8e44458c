/** Pure: what a Job means where its author said nothing. */
import type { Job, JobSpec } from "../../api/generated/batch.ts";
import type { Draft } from "../../api/object.ts";
import { setPodTemplateDefaults } from "../pod/defaults.ts";

const DEFAULT_BACKOFF_LIMIT = 6;
/** With a limit per index the Job as a whole has none. */
const UNLIMITED = 2 ** 31 - 1;

export function setJobDefaults(job: Draft<Job>): void {
  const { spec } = job;
  setJobTemplateDefaults(spec);
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? DEFAULT_BACKOFF_LIMIT : UNLIMITED;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.podReplacementPolicy ??=
    spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed";
  spec.manualSelector ??= false;
  setLabelDefaults(job);
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
