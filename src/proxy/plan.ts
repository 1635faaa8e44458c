/** Pure: which addresses and ports stand for which endpoints, as kube-proxy has it. */
import type { Service, ServicePort } from "../api/generated/core.ts";
import type { Endpoint, EndpointSlice } from "../api/generated/discovery.ts";

export interface Frontend {
  readonly protocol: "TCP" | "UDP";
  readonly address: string;
  readonly port: number;
  /** "default/web:http", for those who read logs. */
  readonly name: string;
  /** A port of the node, for others than pods, too. */
  readonly isOpen: boolean;
  /** A client comes to the same endpoint again for so long; absent: to any. */
  readonly affinitySeconds?: number;
  /** Never empty: nobody listens where there is nobody to pass it on to. */
  readonly backends: readonly Backend[];
}

export interface Backend {
  readonly address: string;
  readonly port: number;
}

export interface PlanInput {
  readonly services: readonly Service[];
  /** By the key of their Service, "default/web". */
  readonly slicesOf: (key: string) => readonly EndpointSlice[];
  /** Where the ports of the node are opened. */
  readonly nodeAddress: string;
  readonly nodeName: string;
}

/** At most one for each protocol, address and port. */
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

/** What a Service asks for that nothing here can give it. */
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

/** The name server has its own way to its address. */
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

/** Only endpoints of this node, where that is asked for. */
function policyNode(policy: string | undefined, { nodeName }: PlanInput): string | undefined {
  return policy === "Local" ? nodeName : undefined;
}

/** Those that are ready; where none is, those that go and still answer. */
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
