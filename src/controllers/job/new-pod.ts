/** Pure: the pods a Job creates: its template, the index, and what ties them to the Job. */
import type { Job } from "../../api/generated/batch.ts";
import type { Container, Pod, PodTemplateSpec } from "../../api/generated/core.ts";
import {
  COMPLETION_INDEX,
  COMPLETION_INDEX_ENV,
  INDEX_FAILURE_COUNT,
  INDEX_IGNORED_FAILURE_COUNT,
  MAX_GENERATE_NAME,
  TRACKING_FINALIZER,
} from "./names.ts";
import { referenceTo } from "./ownership.ts";
import type { PlannedPod } from "./pod-changes.ts";

/** What all pods of a Job have in common is worked out once. */
export function podFactory(job: Job): (planned: PlannedPod) => Pod {
  const { metadata, spec } = job;
  const template = spec.template;
  const shared = {
    namespace: metadata.namespace ?? "",
    finalizers: withTracking(template.metadata.finalizers ?? []),
    ownerReferences: [referenceTo(job)],
  };
  const indexed = withIndexVariable(template.spec);
  return ({ index, failures }) => {
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
        labels: { ...labels, ...marked },
        annotations: { ...annotations, ...marked, ...failureCounts(failures) },
      },
      spec: { ...indexed, hostname: `${name}-${index}` },
      status: {},
    };
  };
}

/** A long Job name gives way so that the index can be read in the pod's. */
function indexedGenerateName(jobName: string, index: number): string {
  const suffix = `-${index}-`;
  return `${jobName.slice(0, MAX_GENERATE_NAME - suffix.length)}${suffix}`;
}

function withTracking(finalizers: readonly string[]): readonly string[] {
  return finalizers.includes(TRACKING_FINALIZER) ? finalizers : [...finalizers, TRACKING_FINALIZER];
}

function withIndexVariable(spec: PodTemplateSpec["spec"]): PodTemplateSpec["spec"] {
  const { initContainers } = spec;
  return {
    ...spec,
    ...(initContainers ? { initContainers: initContainers.map(withVariable) } : {}),
    containers: (spec.containers ?? []).map(withVariable),
  };
}

function withVariable(container: Container): Container {
  const env = container.env ?? [];
  if (env.some(({ name }) => name === COMPLETION_INDEX_ENV)) return container;
  const fieldRef = { fieldPath: `metadata.labels['${COMPLETION_INDEX}']` };
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
