/** Adds the overhead and the scheduling rules of a RuntimeClass to the pods that name it. */
import { isEqual } from "../../api/equal.ts";
import { quote } from "../../api/finding.ts";
import type { Pod } from "../../api/generated/core.ts";
import type { RuntimeClass } from "../../api/generated/node.ts";
import type { Draft, KubeObject } from "../../api/object.ts";
import type { Kind } from "../../kinds/kind.ts";
import { type AdmissionRequest, isAbout, refuse, type StoreView } from "./plugin.ts";

export function runtimeClass(request: AdmissionRequest, store: StoreView): void {
  if (request.operation !== "create" || !isAbout(request, "Pod")) return;
  const pod = request.object as unknown as Draft<Pod>;
  const name = pod.spec.runtimeClassName;
  const found = name === undefined ? undefined : find(name, store);
  if (name !== undefined && found === undefined && !BUILT_IN.has(name)) {
    throw refuse(request, `pod rejected: RuntimeClass ${quote(name)} not found`);
  }
  setOverhead(pod, found, request);
  setScheduling(pod, found, request);
}

/** The runtimes of Tally's nodes: a pod may name them although no RuntimeClass object exists. */
const BUILT_IN: ReadonlySet<string> = new Set(["process", "sandbox", "docker", "podman"]);

function find(name: string, store: StoreView): RuntimeClass | undefined {
  const key = { resource: "runtimeclasses.node.k8s.io", namespace: "", name };
  return store.get(key) as RuntimeClass | undefined;
}

function setOverhead(
  { spec }: Draft<Pod>,
  found: RuntimeClass | undefined,
  request: AdmissionRequest,
): void {
  const overhead = found?.overhead?.podFixed;
  if (overhead === undefined) return;
  if (spec.overhead !== undefined && !isEqual(spec.overhead, overhead)) {
    const problem = "Pod's Overhead doesn't match RuntimeClass's defined Overhead";
    throw refuse(request, `pod rejected: ${problem}`);
  }
  spec.overhead = { ...overhead };
}

/** Checked after validation, so that other mistakes are reported first. */
export function refuseOverhead(kind: Kind, object: Draft<KubeObject>, store: StoreView): void {
  if (kind.kind !== "Pod" || kind.group !== "") return;
  const { spec } = object as unknown as Draft<Pod>;
  if (spec.overhead === undefined) return;
  const name = spec.runtimeClassName;
  if (name !== undefined && find(name, store)?.overhead?.podFixed !== undefined) return;
  const problem = "Pod Overhead set without corresponding RuntimeClass defined Overhead";
  throw refuse({ kind, object }, `pod rejected: ${problem}`);
}

function setScheduling(
  { spec }: Draft<Pod>,
  found: RuntimeClass | undefined,
  request: AdmissionRequest,
): void {
  const { nodeSelector = {}, tolerations = [] } = found?.scheduling ?? {};
  for (const [key, value] of Object.entries(nodeSelector)) {
    const given = spec.nodeSelector?.[key];
    if (given !== undefined && given !== value) {
      const wanted = `runtimeClass.scheduling.nodeSelector[${key}] = ${value}`;
      const problem = `conflict: ${wanted}; pod.spec.nodeSelector[${key}] = ${given}`;
      throw refuse(request, problem);
    }
    spec.nodeSelector = { ...spec.nodeSelector, [key]: value };
  }
  const given = spec.tolerations ?? [];
  const added = tolerations.filter((toleration) => !given.some((one) => isEqual(one, toleration)));
  if (added.length > 0) spec.tolerations = [...given, ...added.map((one) => ({ ...one }))];
}
