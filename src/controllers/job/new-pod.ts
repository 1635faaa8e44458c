/** Pure: builds the pods of a Job from its template, the index, and the reference to the Job. */
import { COMPLETION_INDEX } from "../../api/completion-index.ts";
import { DEFAULT_FEATURE_GATES } from "../../api/feature-gates.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Container, Pod, PodTemplateSpec } from "../../api/generated/core.ts";
import {
  COMPLETION_INDEX_ENV,
  INDEX_FAILURE_COUNT,
  INDEX_IGNORED_FAILURE_COUNT,
  MAX_GENERATE_NAME,
  RERUN,
  TRACKING_FINALIZER,
} from "./names.ts";
import { referenceTo } from "./ownership.ts";
import type { PlannedPod } from "./pod-changes.ts";

/** Parts that are the same for all pods of a Job are computed once. */
export function podFactory(
  job: Job,
  { PodIndexLabel: labelsIndex } = DEFAULT_FEATURE_GATES,
): (planned: PlannedPod) => Pod {
  const { metadata, spec } = job;
  const template = spec.template;
  const shared = {
    namespace: metadata.namespace ?? "",
    finalizers: withTracking(template.metadata.finalizers ?? []),
    ownerReferences: [referenceTo(job)],
  };
  const indexed = withIndexVariable(template.spec, labelsIndex ? "labels" : "annotations");
  // Drop the annotation RERUN from the template. Otherwise every pod would be a re-run, and none of
  // them would count.
  const { [RERUN]: _claimed, ...claims } = template.metadata.annotations ?? {};
  return ({ index, failures, isRerun }) => {
    const { labels, annotations } = template.metadata;
    const own = { ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) };
    const name = metadata.name ?? "";
    if (index === undefined) {
      const generated = { generateName: `${name}-`, ...shared, ...own };
      return {
        apiVersion: "v1",
        kind: "Pod",
        metadata: generated,
        spec: template.spec,
        status: {},
      };
    }
    const marked = { [COMPLETION_INDEX]: String(index) };
    return {
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        generateName: indexedGenerateName(name, index),
        ...shared,
        labels: { ...labels, ...(labelsIndex ? marked : {}) },
        annotations: {
          ...claims,
          ...marked,
          ...failureCounts(failures),
          ...(isRerun ? { [RERUN]: "true" } : {}),
        },
      },
      spec: { ...indexed, hostname: `${name}-${index}` },
      status: {},
    };
  };
}

/** Shortens a long Job name, so that the index stays visible in the pod name. */
function indexedGenerateName(jobName: string, index: number): string {
  const suffix = `-${index}-`;
  return `${jobName.slice(0, MAX_GENERATE_NAME - suffix.length)}${suffix}`;
}

function withTracking(finalizers: readonly string[]): readonly string[] {
  return finalizers.includes(TRACKING_FINALIZER) ? finalizers : [...finalizers, TRACKING_FINALIZER];
}

/** Where the environment variable takes its value from. */
type IndexSource = "labels" | "annotations";

function withIndexVariable(
  spec: PodTemplateSpec["spec"],
  source: IndexSource,
): PodTemplateSpec["spec"] {
  const { initContainers } = spec;
  const withVariable = (container: Container) => addVariable(container, source);
  return {
    ...spec,
    ...(initContainers ? { initContainers: initContainers.map(withVariable) } : {}),
    containers: (spec.containers ?? []).map(withVariable),
  };
}

function addVariable(container: Container, source: IndexSource): Container {
  const env = container.env ?? [];
  if (env.some(({ name }) => name === COMPLETION_INDEX_ENV)) return container;
  const fieldRef = { fieldPath: `metadata.${source}['${COMPLETION_INDEX}']` };
  return { ...container, env: [...env, { name: COMPLETION_INDEX_ENV, valueFrom: { fieldRef } }] };
}

function failureCounts(failures: PlannedPod["failures"]): { [annotation: string]: string } {
  if (!failures) return {};
  const { counted, ignored } = failures;
  return {
    [INDEX_FAILURE_COUNT]: String(counted),
    ...(ignored > 0 ? { [INDEX_IGNORED_FAILURE_COUNT]: String(ignored) } : {}),
  };
}
