/**
 * Pure: everything about a pod that affects its placement, computed once for pods of one template.
 */

import type {
  NodeAffinity,
  NodeSelector,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodSpec,
  Toleration,
} from "../../api/generated/core.ts";
import { isSidecar } from "../../api/sidecar.ts";
import { claimNamesOf } from "../../api/volume-claims.ts";
import { effectiveRequests, type Requests } from "./requests.ts";

export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

export interface PodNeeds {
  readonly requests: Requests;
  readonly hostPorts: readonly HostPort[];
  readonly nodeSelector: { readonly [label: string]: string };
  readonly nodeAffinity: NodeAffinity;
  readonly tolerations: readonly Toleration[];
  readonly priority: number;
  /** Whether it may preempt other pods. */
  readonly preempts: boolean;
  /** The claims it uses, as "NAMESPACE/NAME". */
  readonly claims?: readonly string[];
  /** What these claims currently require of a node. */
  readonly storage?: StorageNeeds;
  /** Equal for pods that fit on the same nodes and have the same priority. */
  readonly signature: string;
}

/** What the claims of a pod require of its node. */
export interface StorageNeeds {
  /** Set if no node is possible: the reason. */
  readonly problem?: string;
  /** The node selectors of bound volumes. */
  readonly places: readonly NodeSelector[];
  readonly unbound: readonly UnboundClaim[];
}

/** A claim that is bound after the node of the pod is chosen. */
export interface UnboundClaim {
  readonly claim: PersistentVolumeClaim;
  readonly candidates: readonly PersistentVolume[];
  /** Whether a provisioner creates a volume if none exists. */
  readonly isMade: boolean;
}

/** The address that means all addresses. */
export const ANY_ADDRESS = "0.0.0.0";

const SCHEDULER_NAME = "default-scheduler";

/** Whether this scheduler is responsible for the pod, now or after its gates are removed. */
export function isUnplaced({ metadata, spec }: Pod): boolean {
  return (
    (spec.nodeName ?? "") === "" &&
    (spec.schedulerName ?? SCHEDULER_NAME) === SCHEDULER_NAME &&
    metadata.deletionTimestamp === undefined
  );
}

export function isGated({ spec }: Pod): boolean {
  return (spec.schedulingGates?.length ?? 0) > 0;
}

export function needsOf(spec: PodSpec): PodNeeds {
  const asked = {
    requests: effectiveRequests(spec),
    hostPorts: hostPortsOf(spec),
    nodeSelector: spec.nodeSelector ?? {},
    nodeAffinity: spec.affinity?.nodeAffinity ?? {},
    tolerations: spec.tolerations ?? [],
    priority: spec.priority ?? 0,
    preempts: spec.preemptionPolicy !== "Never",
  };
  return { ...asked, signature: JSON.stringify(Object.values(asked)) };
}

/** Claims belong to a single pod, so the signature of a pod with claims is unique. */
export function withClaims(pod: Pod, needs: PodNeeds): PodNeeds {
  const names = claimNamesOf(pod);
  if (names.length === 0) return needs;
  const { namespace = "", uid = "" } = pod.metadata;
  const claims = names.map((name) => `${namespace}/${name}`);
  return { ...needs, claims, signature: `${needs.signature} ${uid}` };
}

const PARTS = [
  "containers",
  "initContainers",
  "overhead",
  "resources",
  "nodeSelector",
  "affinity",
  "tolerations",
  "priority",
  "preemptionPolicy",
] as const satisfies readonly (keyof PodSpec)[];

/**
 * Pods of one template share the parts of their spec by reference, so the computed needs are
 * reused.
 */
export class SiblingNeeds {
  #last: { readonly spec: PodSpec; readonly needs: PodNeeds } | undefined;

  of(spec: PodSpec): PodNeeds {
    const last = this.#last;
    if (last && PARTS.every((part) => last.spec[part] === spec[part])) return last.needs;
    const needs = needsOf(spec);
    this.#last = { spec, needs };
    return needs;
  }
}

/** Host ports of containers that run as long as the pod. */
function hostPortsOf({ containers, initContainers = [] }: PodSpec): HostPort[] {
  const sidecars = initContainers.filter(isSidecar);
  return [...(containers ?? []), ...sidecars].flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort = 0, hostIP = "", protocol = "TCP" }) =>
      hostPort > 0 ? [{ ip: hostIP === "" ? ANY_ADDRESS : hostIP, protocol, port: hostPort }] : [],
    ),
  );
}
