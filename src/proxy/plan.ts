/** Pure: maps addresses and ports of Services to endpoints, like kube-proxy. */
import type { Service, ServicePort } from "../api/generated/core.ts";
import type { Endpoint, EndpointSlice } from "../api/generated/discovery.ts";

export interface Frontend {
  readonly protocol: "TCP" | "UDP";
  readonly address: string;
  readonly port: number;
  /** "default/web:http", for log messages. */
  readonly name: string;
  /** True for a node port, which also accepts clients that are not pods. */
  readonly isOpen: boolean;
  /** For how long a client keeps its endpoint; absent: no affinity. */
  readonly affinitySeconds?: number;
  /** Never empty: without a backend the address is not listened on. */
  readonly backends: readonly Backend[];
}

export interface Backend {
  readonly address: string;
  readonly port: number;
}

export interface PlanInput {
  readonly services: readonly Service[];
  /** By the key of the Service, "default/web". */
  readonly slicesOf: (key: string) => readonly EndpointSlice[];
  /** The address on which node ports are opened. */
  readonly nodeAddress: string;
  readonly nodeName: string;
}

/** At most one frontend per protocol, address and port. */
export function planFrontends(input: PlanInput): readonly Frontend[] {
  const planned = new Map<string, Frontend>();
  for (const service of input.services) {
    for (const frontend of frontendsOf(service, input)) {
      const key = keyOf(frontend);
      if (!planned.has(key)) planned.set(key, frontend);
    }
  }
  return [...planned.values()];
}

/** Features requested by a Service that are not supported here. */
export function unservedOf({ spec }: Service): readonly string[] {
  const ports = (spec.ports ?? []).filter((port) => protocolOf(port) === undefined);
  return [
    ...ports.map(({ port, protocol }) => `port ${port} of ${protocol}`),
    ...(spec.externalIPs ?? []).map((address) => `the external address ${address}`),
    ...(spec.type === "LoadBalancer" ? ["a load balancer"] : []),
  ];
}

export function keyOf({ protocol, address, port }: Omit<Frontend, "backends" | "name">): string {
  return `${protocol} ${address} ${port}`;
}

/**
 * Services with this label are skipped. The name server uses it, because it listens on its address
 * itself.
 */
export const PROXY_NAME = "service.kubernetes.io/service-proxy-name";

function frontendsOf(service: Service, input: PlanInput): readonly Frontend[] {
  const { metadata, spec } = service;
  const addresses = (spec.clusterIPs ?? [spec.clusterIP ?? ""]).filter(isAddress);
  if (spec.type === "ExternalName" || addresses.length === 0) return [];
  if (metadata.labels?.[PROXY_NAME] !== undefined) return [];
  const key = `${metadata.namespace}/${metadata.name}`;
  const slices = input.slicesOf(key);
  return (spec.ports ?? []).flatMap((port) => {
    const protocol = protocolOf(port);
    if (protocol === undefined) return [];
    const common: Omit<Frontend, "address" | "port" | "isOpen" | "backends"> = {
      protocol,
      name: `${key}:${port.name ?? port.port}`,
      ...affinityOf(service),
    };
    const inside = backendsOf(slices, port, policyNode(spec.internalTrafficPolicy, input));
    const outside = backendsOf(slices, port, policyNode(spec.externalTrafficPolicy, input));
    const all: Frontend[] = addresses.map((address) => {
      return { ...common, address, port: port.port, isOpen: false, backends: inside };
    });
    if (port.nodePort) {
      const { nodeAddress: address } = input;
      all.push({ ...common, address, port: port.nodePort, isOpen: true, backends: outside });
    }
    return all.filter(({ backends }) => backends.length > 0);
  });
}

function protocolOf({ protocol = "" }: ServicePort): Frontend["protocol"] | undefined {
  if (protocol === "" || protocol === "TCP") return "TCP";
  return protocol === "UDP" ? "UDP" : undefined;
}

function isAddress(text: string): boolean {
  return text !== "" && text !== "None";
}

const DEFAULT_AFFINITY_SECONDS = 10_800;

function affinityOf({ spec }: Service): { readonly affinitySeconds?: number } {
  if (spec.sessionAffinity !== "ClientIP") return {};
  const { timeoutSeconds } = spec.sessionAffinityConfig?.clientIP ?? {};
  return { affinitySeconds: timeoutSeconds ?? DEFAULT_AFFINITY_SECONDS };
}

/** Restricts to endpoints of this node if the policy is Local. */
function policyNode(policy: string | undefined, { nodeName }: PlanInput): string | undefined {
  return policy === "Local" ? nodeName : undefined;
}

/** Ready endpoints; if there are none, terminating ones that still serve. */
function backendsOf(
  slices: readonly EndpointSlice[],
  port: ServicePort,
  node: string | undefined,
): readonly Backend[] {
  const ready: Backend[] = [];
  const going: Backend[] = [];
  for (const { ports, endpoints, addressType } of slices) {
    if (addressType === "FQDN") continue;
    const number = (ports ?? []).find((each) => (each.name ?? "") === (port.name ?? ""))?.port;
    if (number === undefined) continue;
    for (const endpoint of endpoints ?? []) {
      const [address] = endpoint.addresses ?? [];
      if (address === undefined || (node !== undefined && endpoint.nodeName !== node)) continue;
      if (endpoint.conditions?.ready !== false) ready.push({ address, port: number });
      else if (isGoing(endpoint)) going.push({ address, port: number });
    }
  }
  return ready.length > 0 ? ready : going;
}

function isGoing({ conditions }: Endpoint): boolean {
  return conditions?.serving === true && conditions.terminating === true;
}
