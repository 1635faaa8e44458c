/** Pure: checks what an update of a Job's spec may change. */
import { isEqual } from "../../api/equal.ts";
import { DEFAULT_FEATURE_GATES, type FeatureGates } from "../../api/feature-gates.ts";
import { type Finding, invalid } from "../../api/finding.ts";
import type { Job, JobSpec } from "../../api/generated/batch.ts";
import type { Container, PodSpec, PodTemplateSpec } from "../../api/generated/core.ts";
import { hasCondition } from "../../api/job-conditions.ts";
import { CONTROLLER_UID_LABEL, JOB_NAME_LABEL } from "../../api/job-labels.ts";
import { IMMUTABLE, validateObjectMetaUpdate } from "../meta/object-meta.ts";
import { podFailurePolicyDump, successPolicyDump } from "./go-dump.ts";
import { INDEXED, validateJob, validateJobSpecAndSelector } from "./validate.ts";

export function validateJobUpdate(
  next: Job,
  old: Job,
  gates: FeatureGates = DEFAULT_FEATURE_GATES,
): Finding[] {
  return [
    ...validateJob(next, { requiresPrefixedLabels: hasPrefixedLabels(old) }),
    ...validateObjectMetaUpdate(next.metadata, old.metadata),
    ...validateJobSpecAndSelector(next.spec, "spec"),
    ...validateCompletionsChange(next.spec, old.spec, gates),
    ...validateSpecChange(next.spec, old.spec, isTemplateMutable(old)),
  ];
}

function hasPrefixedLabels(job: Job): boolean {
  const { labels = {} } = job.spec.template.metadata;
  return labels[JOB_NAME_LABEL] !== undefined && labels[CONTROLLER_UID_LABEL] !== undefined;
}

/**
 * While a Job is suspended, a queueing system may still change where its pods run and with what
 * resources.
 */
function isTemplateMutable({ spec, status }: Job): boolean {
  const hasStopped = status.startTime === undefined || hasCondition({ status }, "Suspended");
  return spec.suspend === true && hasStopped && (status.active ?? 0) === 0;
}

/** An Indexed Job can be scaled by its completions if all of them may run at once. */
function validateCompletionsChange(
  next: JobSpec,
  old: JobSpec,
  { ElasticIndexedJob: isElastic }: FeatureGates,
): Finding[] {
  const { completions, parallelism } = next;
  if (completions === old.completions) return [];
  if (!isElastic || next.completionMode !== INDEXED)
    return [invalid("spec.completions", completions, IMMUTABLE)];
  // Missing completions of an Indexed Job are already reported.
  if (completions === undefined || completions === parallelism) return [];
  const detail = "can only be modified in tandem with spec.parallelism";
  return [invalid("spec.completions", completions, detail)];
}

function validateSpecChange(next: JobSpec, old: JobSpec, isMutable: boolean): Finding[] {
  const immutable = (field: keyof JobSpec, shown: unknown = next[field]) =>
    isEqual(next[field], old[field]) ? [] : [invalid(`spec.${field}`, shown, IMMUTABLE)];
  return [
    ...immutable("selector"),
    ...validateTemplateChange(next.template, old.template, isMutable),
    ...immutable("completionMode"),
    ...immutable("podFailurePolicy", podFailurePolicyDump(next.podFailurePolicy)),
    ...immutable("backoffLimitPerIndex"),
    ...immutable("managedBy"),
    ...immutable("successPolicy", successPolicyDump(next.successPolicy)),
  ];
}

function validateTemplateChange(
  next: PodTemplateSpec,
  old: PodTemplateSpec,
  isMutable: boolean,
): Finding[] {
  if (!isMutable) {
    return isEqual(next, old) ? [] : [invalid("spec.template", next, IMMUTABLE)];
  }
  const allowed = withResources(withSchedulingDirectives(old.spec, next.spec), next.spec);
  return isEqual(next.spec, allowed) ? [] : [invalid("spec.template.spec", next.spec, IMMUTABLE)];
}

/** The old pod spec with the scheduling fields of the new one. */
function withSchedulingDirectives(old: PodSpec, next: PodSpec): PodSpec {
  const {
    affinity: oldAffinity,
    nodeSelector: _nodeSelector,
    tolerations: _tolerations,
    schedulingGates: _schedulingGates,
    ...rest
  } = old;
  const affinity = withNodeAffinity(oldAffinity, next.affinity);
  return {
    ...rest,
    ...(affinity && { affinity }),
    ...(next.nodeSelector && { nodeSelector: next.nodeSelector }),
    ...(next.tolerations && { tolerations: next.tolerations }),
    ...(next.schedulingGates && { schedulingGates: next.schedulingGates }),
  };
}

type Affinity = NonNullable<PodSpec["affinity"]>;

/** An affinity that contained only a node affinity may be removed together with it. */
function withNodeAffinity(
  old: Affinity | undefined,
  next: Affinity | undefined,
): Affinity | undefined {
  const { nodeAffinity: _nodeAffinity, ...others } = old ?? {};
  if (next === undefined) return Object.keys(others).length === 0 ? undefined : others;
  return { ...others, ...(next.nodeAffinity && { nodeAffinity: next.nodeAffinity }) };
}

function withResources(old: PodSpec, next: PodSpec): PodSpec {
  return {
    ...old,
    containers: containersWithResources(old.containers, next.containers),
    ...(old.initContainers && {
      initContainers: containersWithResources(old.initContainers, next.initContainers) ?? [],
    }),
  };
}

/**
 * Containers are matched by name and position. If they are added, removed or reordered, nothing may
 * change.
 */
function containersWithResources(
  old: readonly Container[] | null,
  next: readonly Container[] | null | undefined,
): readonly Container[] | null {
  const isSameList =
    old?.length === next?.length && old?.every(({ name }, at) => name === next?.[at]?.name);
  if (!old || !isSameList) return old;
  return old.map((container, at) => ({
    ...container,
    resources: next?.[at]?.resources ?? container.resources,
  }));
}
