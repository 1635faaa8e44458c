/** POST of a binding: the scheduler assigns a pod to a node. */
import { ApiError, badRequest, conflict, notFound } from "../../api/errors.ts";
import { type Finding, formatFinding } from "../../api/finding.ts";
import type { Binding, Pod, PodCondition } from "../../api/generated/core.ts";
import { type Draft, type KubeObject, kept } from "../../api/object.ts";
import { podKind } from "../../kinds/pod/kind.ts";
import { validatePodBinding } from "../../kinds/pod/validate-binding.ts";
import {
  groupResource,
  keyOf,
  type ServerContext,
  timestamp,
  type WriteOptions,
} from "../context.ts";
import { matchNamespace } from "./create.ts";
import { setCondition } from "./pod-condition.ts";
import { preconditionFailed } from "./update.ts";

export function bind(
  server: ServerContext,
  namespace: string,
  podName: string | undefined,
  object: Draft<KubeObject>,
  options: WriteOptions,
): void {
  const binding = object as unknown as Draft<Binding>;
  const { name = "" } = binding.metadata;
  matchNamespace(true, namespace, object);
  // The older endpoint, without a pod name in its path, ignores the uid.
  if (podName === undefined) delete binding.metadata.uid;
  else if (podName !== name) throw badRequest("name in URL does not match name in Binding object");
  const findings = validatePodBinding(binding);
  if (findings.length > 0) throw invalidBinding(findings);
  const key = keyOf(podKind, namespace, name);
  const pod = server.store.get(key) as Pod | undefined;
  if (!pod) throw notFound(groupResource(podKind), name);
  refuseUnbindable(pod, binding);
  const next = assign(server, pod, binding);
  if (options.dryRun) return;
  server.store.update(key, next as Draft<KubeObject>, pod.metadata.resourceVersion ?? "");
}

/** Kubernetes does not convert these findings to a 422, so that the answer is a 500. */
function invalidBinding(findings: readonly Finding[]): ApiError {
  const problems = findings.map(formatFinding);
  return new ApiError(
    500,
    "",
    problems.length === 1 ? (problems[0] ?? "") : `[${problems.join(", ")}]`,
  );
}

function refuseUnbindable(pod: Pod, binding: Draft<Binding>): void {
  const { uid, resourceVersion } = binding.metadata;
  const name = pod.metadata.name ?? "";
  const namespace = pod.metadata.namespace ?? "";
  const target = { kind: podKind, namespace, name, part: "object" } as const;
  if (uid !== undefined && uid !== pod.metadata.uid) {
    throw preconditionFailed(target, "UID", uid, pod.metadata.uid ?? "");
  }
  const revision = pod.metadata.resourceVersion ?? "";
  if (resourceVersion !== undefined && resourceVersion !== revision) {
    throw preconditionFailed(target, "ResourceVersion", resourceVersion, revision);
  }
  const refuse = (problem: string) =>
    conflict({ group: "", resource: "pods/binding" }, name, problem);
  if (pod.metadata.deletionTimestamp !== undefined) {
    throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  }
  if (pod.spec.nodeName !== undefined) {
    throw refuse(`pod ${name} is already assigned to node "${pod.spec.nodeName}"`);
  }
  if ((pod.spec.schedulingGates?.length ?? 0) > 0) {
    throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
  }
}

/** Unchanged parts are shared with the old object, because this is done for every pod. */
function assign(server: ServerContext, pod: Pod, binding: Draft<Binding>): Draft<Pod> {
  const { annotations, labels } = binding.metadata;
  const condition: PodCondition = {
    type: "PodScheduled",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: timestamp(server.clock),
  };
  const { metadata } = pod;
  // The nominated node is irrelevant once the pod has a node.
  const { nominatedNodeName: _, ...status } = pod.status;
  return kept({
    ...pod,
    metadata: {
      ...metadata,
      ...(annotations ? { annotations: { ...metadata.annotations, ...annotations } } : {}),
      ...(labels ? { labels: { ...metadata.labels, ...labels } } : {}),
    },
    spec: { ...pod.spec, nodeName: binding.target.name ?? "" },
    status: {
      ...status,
      conditions: setCondition(status.conditions ?? [], condition),
    },
  });
}
