/** Pure: the endpoints a Service should have in one address family, grouped by ports. */
import type { Node, Pod, Service } from "../../api/generated/core.ts";
import type { Endpoint, EndpointPort } from "../../api/generated/discovery.ts";
import {
  addressesOf,
  type Family,
  hostnameIn,
  isReachable,
  isReady,
  isTerminating,
  publishesUnready,
} from "./members.ts";
import { targetPortsOf } from "./ports.ts";

const ZONE = "topology.kubernetes.io/zone";

export interface PortGroup {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

export interface Membership {
  readonly service: Service;
  /** The pods that its selector matches. */
  readonly pods: readonly Pod[];
  readonly findNode: (name: string) => Node | undefined;
}

/** By portsKey. Pods with different ports cannot share a slice. */
export function groupEndpoints(
  { service, pods, findNode }: Membership,
  family: Family,
): ReadonlyMap<string, PortGroup> {
  const groups = new Map<string, { ports: readonly EndpointPort[]; endpoints: Endpoint[] }>();
  for (const pod of pods) {
    if (!isReachable(pod)) continue;
    const node = findNode(pod.spec.nodeName ?? "");
    if (!node && isLost(pod) && !publishesUnready(service)) continue;
    const addresses = addressesOf(pod, family);
    if (addresses.length === 0) continue;
    const ports = targetPortsOf(service, pod);
    const key = portsKey(ports);
    const group = groups.get(key) ?? { ports, endpoints: [] };
    groups.set(key, group);
    group.endpoints.push(endpointOf(service, pod, addresses, node));
  }
  return groups;
}

/** The pod is assigned to a node that does not exist, so it will be removed soon. */
function isLost({ spec }: Pod): boolean {
  return (spec.nodeName ?? "") !== "";
}

function endpointOf(
  service: Service,
  pod: Pod,
  addresses: readonly string[],
  node: Node | undefined,
): Endpoint {
  const { namespace = "", name = "", uid = "" } = pod.metadata;
  const serving = isReady(pod);
  const terminating = isTerminating(pod);
  const ready = publishesUnready(service) || (serving && !terminating);
  const hostname = hostnameIn(service, pod);
  const zone = node?.metadata.labels?.[ZONE];
  return {
    addresses,
    conditions: { ready, serving, terminating },
    ...(hostname === undefined ? {} : { hostname }),
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    ...(zone ? { zone } : {}),
  };
}

/** Equal for the same ports in any order. */
export function portsKey(ports: readonly EndpointPort[]): string {
  const texts = ports.map(({ name, protocol, port, appProtocol }) =>
    JSON.stringify([name ?? "", protocol ?? "TCP", port ?? null, appProtocol ?? null]),
  );
  return texts.sort().join();
}
