/** Pure: the Node object of a machine: facts in, object out. */
import { isEqual } from "../../api/equal.ts";
import type { Node, NodeStatus, Taint } from "../../api/generated/core.ts";
import { formatQuantity } from "../../api/quantity.ts";
import { composeConditions, type Readiness } from "./conditions.ts";
import type { HostFacts } from "./host-facts.ts";

/** What a node is told of itself, rather than finding out. */
export interface NodeIdentity {
  readonly name: string;
  readonly address: string;
  readonly maxPods: number;
  /** "v1.36.4": what clients take as the version of Kubernetes it speaks. */
  readonly kubeletVersion: string;
  /** "process://0.1.0" */
  readonly runtimeVersion: string;
  /** Where an agent in a process of its own is reached by its server. */
  readonly endpoint?: {
    readonly port: number;
    /** By which the server knows it. */
    readonly annotations: { readonly [name: string]: string };
  };
}

export interface NodeReport {
  readonly identity: NodeIdentity;
  readonly facts: HostFacts;
  readonly readiness: Readiness;
  readonly nowMs: number;
}

export function composeNode(report: NodeReport): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name: report.identity.name,
      labels: ownLabels(report),
      ...(report.identity.endpoint ? { annotations: report.identity.endpoint.annotations } : {}),
    },
    spec: {},
    status: composeStatus(undefined, report),
  };
}

/**
 * A node that was there before keeps what people made of it: labels, annotations, taints, whether
 * pods may be scheduled. Its own labels are put right. Undefined where nothing has to change.
 */
export function repairNode(old: Node, report: NodeReport): Node | undefined {
  const labels = { ...old.metadata.labels, ...ownLabels(report) };
  const annotations = { ...old.metadata.annotations, ...report.identity.endpoint?.annotations };
  const isAnnotated = isEqual(annotations, old.metadata.annotations ?? {});
  const isLabelled = Object.entries(labels).every(
    ([label, value]) => old.metadata.labels?.[label] === value,
  );
  const taints = (old.spec.taints ?? []).filter((taint) => !isFirstTaint(taint));
  const isTainted = taints.length !== (old.spec.taints ?? []).length;
  if (isLabelled && isAnnotated && !isTainted) return undefined;
  const { taints: _taints, ...spec } = old.spec;
  return {
    ...old,
    metadata: { ...old.metadata, labels, ...(isAnnotated ? {} : { annotations }) },
    spec: taints.length === 0 ? spec : { ...spec, taints },
  };
}

/** What others report in the status of the node is kept. */
export function composeStatus(old: NodeStatus | undefined, report: NodeReport): NodeStatus {
  const { identity, facts, readiness, nowMs } = report;
  return {
    ...old,
    capacity: { ...old?.capacity, ...capacityOf(report) },
    allocatable: { ...old?.allocatable, ...allocatableOf(report) },
    conditions: composeConditions(old?.conditions ?? [], facts, readiness, nowMs),
    addresses: [
      { type: "InternalIP", address: identity.address },
      { type: "Hostname", address: identity.name },
    ],
    // Where nothing listens logs and the like are asked of the server itself.
    daemonEndpoints: { kubeletEndpoint: { Port: identity.endpoint?.port ?? 0 } },
    nodeInfo: {
      machineID: facts.machineId,
      systemUUID: facts.systemUuid,
      bootID: facts.bootId,
      kernelVersion: facts.kernelVersion,
      osImage: facts.osImage,
      containerRuntimeVersion: identity.runtimeVersion,
      kubeletVersion: identity.kubeletVersion,
      kubeProxyVersion: "",
      operatingSystem: facts.operatingSystem,
      architecture: facts.architecture,
    },
  };
}

/** Whether they tell the same but for when it was. */
export function tellsTheSame(one: NodeStatus, other: NodeStatus): boolean {
  return isEqual(timeless(one), timeless(other));
}

function timeless(status: NodeStatus): NodeStatus {
  const { conditions = [] } = status;
  return {
    ...status,
    conditions: conditions.map(({ lastHeartbeatTime: _time, ...condition }) => condition),
  };
}

function ownLabels({ identity, facts }: NodeReport): { readonly [label: string]: string } {
  return {
    "beta.kubernetes.io/arch": facts.architecture,
    "beta.kubernetes.io/os": facts.operatingSystem,
    "kubernetes.io/arch": facts.architecture,
    "kubernetes.io/hostname": identity.name,
    "kubernetes.io/os": facts.operatingSystem,
  };
}

/**
 * Every node is tainted with this when it is new, until it is ready. Kubernetes has a controller to
 * take it away; a node that reports itself ready may as well do it.
 */
function isFirstTaint({ key, effect }: Taint): boolean {
  return key === "node.kubernetes.io/not-ready" && effect === "NoSchedule";
}

/** Kept free, as Kubernetes does: below it the machine is in need itself. */
const RESERVED_MEMORY_BYTES = 100 * 1024 * 1024;
const USABLE_STORAGE_SHARE = 0.9;

const NANOS = 1_000_000_000n;

type ResourceList = { readonly [resource: string]: string };

function capacityOf({ identity, facts }: NodeReport): ResourceList {
  return {
    cpu: formatCount(facts.cpus),
    "ephemeral-storage": formatKibibytes(facts.storageBytes),
    memory: formatKibibytes(facts.memoryBytes),
    pods: formatCount(identity.maxPods),
  };
}

function allocatableOf(report: NodeReport): ResourceList {
  const { storageBytes, memoryBytes } = report.facts;
  return {
    ...capacityOf(report),
    "ephemeral-storage": formatCount(Math.floor(storageBytes * USABLE_STORAGE_SHARE)),
    memory: formatKibibytes(Math.max(0, memoryBytes - RESERVED_MEMORY_BYTES)),
  };
}

/** As the server writes it: what was reported and what is there are compared as texts. */
function formatCount(count: number): string {
  return formatQuantity({ nanos: BigInt(count) * NANOS, format: "DecimalSI" });
}

function formatKibibytes(bytes: number): string {
  const whole = BigInt(Math.floor(bytes / 1024)) * 1024n;
  return formatQuantity({ nanos: whole * NANOS, format: "BinarySI" });
}
