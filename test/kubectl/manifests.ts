/** Pure: the objects of the kubectl tests; a test names only the fields that matter to it. */

const CONTAINER = { name: "main", image: "busybox:1.36", command: ["true"] };

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

export function job(name: string, spec: object = {}, labels: object = {}): Manifest {
  const template = { spec: { restartPolicy: "Never", containers: [CONTAINER] } };
  const metadata = { name, labels };
  return { apiVersion: "batch/v1", kind: "Job", metadata, spec: { template, ...spec } };
}

export function pod(name: string, spec: object = {}, labels: object = {}): Manifest {
  const metadata = { name, labels };
  const whole = { restartPolicy: "Never", containers: [CONTAINER], ...spec };
  return { apiVersion: "v1", kind: "Pod", metadata, spec: whole };
}

export function configMap(name: string, data: object = { key: "value" }): Manifest {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
}

export function statefulSet(name: string, replicas = 1): Manifest {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [CONTAINER] } };
  const spec = { serviceName: name, replicas, selector: { matchLabels: labels }, template };
  return { apiVersion: "apps/v1", kind: "StatefulSet", metadata: { name }, spec };
}

export function node(name: string): Manifest {
  const metadata = { name, labels: { "kubernetes.io/hostname": name } };
  const capacity = { cpu: "4", memory: "8Gi", pods: "110" };
  const status = { capacity, allocatable: capacity };
  return { apiVersion: "v1", kind: "Node", metadata, status };
}

/** A YAML file with many documents. */
export function documents(manifests: readonly Manifest[]): string {
  return manifests.map((manifest) => `---\n${JSON.stringify(manifest)}\n`).join("");
}

export const JOBS = "/apis/batch/v1/namespaces/NS/jobs";
export const PODS = "/api/v1/namespaces/NS/pods";
export const CONFIG_MAPS = "/api/v1/namespaces/NS/configmaps";
export const STATEFUL_SETS = "/apis/apps/v1/namespaces/NS/statefulsets";
export const EVENTS = "/api/v1/namespaces/NS/events";
export const BUDGETS = "/apis/policy/v1/namespaces/NS/poddisruptionbudgets";
export const NODES = "/api/v1/nodes";
