/** Pure: checks that a Job selects exactly the pods it creates. */
import { type Finding, invalid, required } from "../../api/finding.ts";
import type { Job, JobSpec } from "../../api/generated/batch.ts";
import {
  CONTROLLER_UID_LABEL,
  generatedLabels,
  isGeneratedLabel,
  JOB_NAME_LABEL,
  type Labels,
} from "../../api/job-labels.ts";
import { matchesLabelSelector, validateLabelSelector } from "../meta/label-selector.ts";

const TEMPLATE_LABELS = "spec.template.metadata.labels";

export interface GeneratedLabelOptions {
  /** Jobs that are older than the prefixed labels need not have them. */
  readonly requiresPrefixedLabels: boolean;
}

export function validateSelector(spec: JobSpec, path: string): Finding[] {
  const { selector, template } = spec;
  const { labels } = template.metadata;
  const malformed = validateLabelSelector(selector, `${path}.selector`);
  const findings = selector === undefined ? [required(`${path}.selector`)] : malformed;
  if (malformed.length > 0 || matchesLabelSelector(selector, labels)) return findings;
  const detail = "`selector` does not match template `labels`";
  return [...findings, invalid(`${path}.template.metadata.labels`, labels, detail)];
}

/** The user may set some of the generated labels, but then the values must match. */
export function validateGeneratedSelector(job: Job, options: GeneratedLabelOptions): Finding[] {
  const { selector, manualSelector, template } = job.spec;
  if (manualSelector === true || selector === undefined) return [];
  const { name = "", uid = "" } = job.metadata;
  const expected = expectedLabels(generatedLabels(name, uid), options);
  const findings = uid === "" ? [required("metadata.uid")] : [];
  for (const [key, value] of Object.entries(expected)) {
    findings.push(...validateHasLabel(template.metadata.labels, key, value));
  }
  const isWellFormed = validateLabelSelector(selector, "spec.selector").length === 0;
  if (isWellFormed && !matchesLabelSelector(selector, expected)) {
    findings.push(invalid("spec.selector", selector, "`selector` not auto-generated"));
  }
  return findings;
}

/**
 * The metadata without labels if all of them are generated. Kubernetes adds those only when it
 * reads the Job back, so problems with them are reported on the template alone.
 */
export function userMetadata({ metadata }: Job): Job["metadata"] {
  const { labels = {}, ...rest } = metadata;
  return Object.keys(labels).every(isGeneratedLabel) ? rest : metadata;
}

function expectedLabels(labels: Labels, options: GeneratedLabelOptions): Labels {
  if (options.requiresPrefixedLabels) return labels;
  const { [CONTROLLER_UID_LABEL]: _uid, [JOB_NAME_LABEL]: _name, ...legacy } = labels;
  return legacy;
}

function validateHasLabel(labels: Labels | undefined, key: string, expected: string): Finding[] {
  const detail = `must be '${expected}'`;
  const value = labels?.[key];
  if (value === expected) return [];
  const path = `${TEMPLATE_LABELS}[${key}]`;
  return [value === undefined ? required(path, detail) : invalid(path, labels, detail)];
}
