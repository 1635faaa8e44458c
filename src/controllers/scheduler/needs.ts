/** Pure: everything about a pod that its place depends on, worked out once for all its siblings. */

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
  /** Whether others may have to go for it. */
  readonly preempts: boolean;
  /** "NAMESPACE/NAME" of those it uses. */
  readonly claims?: readonly string[];
  /** What these ask of a node as they are now. */
  readonly storage?: StorageNeeds;
  /** The same for pods that fit the same nodes and are wanted as much. */
  readonly signature: string;
}

/** What the claims of one pod ask of its node. */
export interface StorageNeeds {
  /** No node will do: why. */
  readonly problem?: string;
  /** Where bound volumes are. */
  readonly places: readonly NodeSelector[];
  readonly unbound: readonly UnboundClaim[];
}

/** One that is bound when it is known where the pod goes. */
export interface UnboundClaim {
  readonly claim: PersistentVolumeClaim;
  readonly candidates: readonly PersistentVolume[];
  /** Somebody makes a volume for it where there is none. */
  readonly isMade: boolean;
}

/** The address that means all addresses. */
export const ANY_ADDRESS = "0.0.0.0";

const SCHEDULER_NAME = "default-scheduler";

/** Whether this scheduler is to find it a node, now or when nothing holds it any more. */
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

/** Claims are the pod's own: a pod that has some waits for itself alone. */
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

/** Pods of one template share the parts of their spec: what was found out of one holds for all. */
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

/** Those of containers that run for as long as the pod does. */
function hostPortsOf({ containers, initContainers = [] }: PodSpec): HostPort[] {
  const sidecars = initContainers.filter(isSidecar);
  return [...(containers ?? []), ...sidecars].flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort = 0, hostIP = "", protocol = "TCP" }) =>
      hostPort > 0 ? [{ ip: hostIP === "" ? ANY_ADDRESS : hostIP, protocol, port: hostPort }] : [],
    ),
  );
}
