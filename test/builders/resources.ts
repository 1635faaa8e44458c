/** Resources by their names, and small bodies of them: a test names only the fields that matter. */
import type { ResourceType } from "../../src/api/client.ts";
import type { StatefulSet } from "../../src/api/generated/apps.ts";
import type { Job } from "../../src/api/generated/batch.ts";
import type { ConfigMap, Pod } from "../../src/api/generated/core.ts";
import type { ObjectMeta } from "../../src/api/generated/meta.ts";
import { POD_SPEC } from "./job.ts";

export const statefulSets: ResourceType<StatefulSet> = {
  group: "apps",
  version: "v1",
  resource: "statefulsets",
  kind: "StatefulSet",
  namespaced: true,
};

type Fields = { readonly [field: string]: unknown };

/** The body that a client sends lacks many fields that the type requires of a stored object. */
export function jobBody(metadata: ObjectMeta, spec: Fields = {}): Job {
  const body = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { namespace: "default", ...metadata },
    spec: { template: { spec: POD_SPEC }, ...spec },
  };
  return body as unknown as Job;
}

export function podBody(metadata: ObjectMeta, spec: Fields = {}): Pod {
  const body = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "default", ...metadata },
    spec: { ...POD_SPEC, ...spec },
  };
  return body as unknown as Pod;
}

export function configMapBody(metadata: ObjectMeta, data?: ConfigMap["data"]): ConfigMap {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: "default", ...metadata },
    ...(data === undefined ? {} : { data }),
  };
}

export function statefulSetBody(metadata: ObjectMeta, spec: Fields = {}): StatefulSet {
  const labels = { app: "s" };
  const body = {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { namespace: "default", ...metadata },
    spec: {
      serviceName: "s",
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: POD_SPEC.containers } },
      ...spec,
    },
  };
  return body as unknown as StatefulSet;
}
