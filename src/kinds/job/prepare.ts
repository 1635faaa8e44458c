/**
 * Pure: what the server does to a Job before validation: it resets the status and generates labels.
 */
import { DEFAULT_FEATURE_GATES } from "../../api/feature-gates.ts";
import type { Job } from "../../api/generated/batch.ts";
import { CONTROLLER_UID_LABEL, generatedLabels, withMissing } from "../../api/job-labels.ts";
import { type Draft, kept } from "../../api/object.ts";
import { dropDisabledPodFields } from "../pod/drop-disabled.ts";
import { dropDisabledJobFields } from "./drop-disabled.ts";

export function prepareJobForCreate(job: Draft<Job>, gates = DEFAULT_FEATURE_GATES): void {
  job.status = {};
  dropDisabledJobFields(job.spec, gates);
  dropDisabledPodFields(job.spec.template.spec);
  if (job.spec.manualSelector !== true) generateSelector(job);
}

export function prepareJobForUpdate(
  next: Draft<Job>,
  old: Job,
  gates = DEFAULT_FEATURE_GATES,
): void {
  next.status = kept(old.status);
  ownLabels(next);
  if (next.spec === old.spec) return;
  dropDisabledJobFields(next.spec, gates, old.spec);
  dropDisabledPodFields(next.spec.template.spec, old.spec.template.spec);
}

export function prepareJobStatus(next: Draft<Job>, old: Job): void {
  next.spec = kept(old.spec);
  ownLabels(next);
}

/**
 * Kubernetes stores a new Job without the labels it takes from its template, and adds them whenever
 * it reads the Job. Here both share one map until the Job is written again.
 */
export function hasOwnLabels({ metadata, spec }: Job): boolean {
  return metadata.labels === undefined || metadata.labels !== spec.template.metadata.labels;
}

function ownLabels(job: Draft<Job>): void {
  if (!hasOwnLabels(job as Job)) job.metadata.labels = { ...job.metadata.labels };
}

/**
 * Labels the pods with name and UID and selects them by UID. Conflicting labels of the user are
 * kept, so that validation rejects them.
 */
function generateSelector(job: Draft<Job>): void {
  const { metadata, spec } = job;
  const { name = "", uid = "" } = metadata;
  const template = spec.template.metadata;
  // Kubernetes applies defaults again when it reads the new Job back, so empty labels are filled,
  // too.
  const isShared = metadata.labels === undefined || metadata.labels === template.labels;
  const labels = withMissing(template.labels, generatedLabels(name, uid));
  template.labels = labels;
  if (isShared) metadata.labels = labels;
  spec.selector = {
    matchLabels: withMissing(spec.selector?.matchLabels, { [CONTROLLER_UID_LABEL]: uid }),
    ...(spec.selector?.matchExpressions && { matchExpressions: spec.selector.matchExpressions }),
  };
}
