/**
 * Allocates addresses and node ports of Services. The pools follow the stored Services, so that a
 * failed creation and a dry run take nothing.
 */

import { type ApiError, internalError, invalidObject } from "../../api/errors.ts";
import { type Finding, invalid } from "../../api/finding.ts";
import type { Service, ServicePort, ServiceSpec } from "../../api/generated/core.ts";
import type { Draft, KubeObject } from "../../api/object.ts";
import {
  addressAt,
  type Cidr,
  cidrContains,
  formatAddress,
  parseAddress,
  parseCidr,
} from "../../base/address.ts";
import type { IpFamily } from "../../kinds/meta/addresses.ts";
import {
  isHeadless,
  needsClusterIP,
  needsHealthCheckNodePort,
  needsNodePort,
} from "../../kinds/service/defaults.ts";
import type { Store } from "../../store/types.ts";
import { type NumberPool, numberPool } from "./number-pool.ts";

const NODE_PORTS = { first: 30000, last: 32767, reserved: 86 };
/** One machine cannot use up more addresses than this. */
const ADDRESSES_MAX = 2 ** 20;
const PRETENDED_PORTS = 32768;

export interface ServiceAddresses {
  readonly family: IpFamily;
  readonly first: string;
  /** Sets missing addresses and ports; throws if a requested one is not available. */
  allocate(object: Draft<KubeObject>, old?: KubeObject): void;
  /** For a dry run: sets placeholders for the numbers that the Service would get. */
  pretend(object: Draft<KubeObject>): void;
  close(): void;
}

export function openServiceAddresses(
  store: Pick<Store, "list" | "subscribe">,
  serviceCidr: string,
): ServiceAddresses {
  const cidr = parseCidr(serviceCidr);
  if (cidr === undefined) throw new Error(`${serviceCidr} is not a range of IP addresses`);
  const pools = { cidr, addresses: addressPool(cidr), ports: numberPool(NODE_PORTS) };
  const { items, revision } = store.list("services");
  for (const service of items) hold(pools, service as Service);
  const subscription = store.subscribe("services", revision, ({ type, object, previous }) => {
    if (previous) letGo(pools, previous as Service);
    else if (type === "DELETED") letGo(pools, object as Service);
    if (type !== "DELETED") hold(pools, object as Service);
  });
  return {
    family: cidr.network.length === 4 ? "IPv4" : "IPv6",
    first: formatAddress(addressAt(cidr, 1)),
    allocate: (object, old) =>
      allocate(pools, object as unknown as Draft<Service>, old as Service | undefined),
    pretend: (object) => allocate(pretended(cidr), object as unknown as Draft<Service>, undefined),
    close: () => subscription.close(),
  };
}

interface Pools {
  readonly cidr: Cidr;
  readonly addresses: NumberPool;
  readonly ports: NumberPool;
  readonly isDryRun?: boolean;
}

/** Nothing is taken and every port is valid: a dry run only finds contradictions in the Service. */
function pretended(cidr: Cidr): Pools {
  const none = { isTaken: () => false, take: () => {}, giveBack: () => {} };
  const addresses = { ...none, has: addressPool(cidr).has, findFree: () => 0 };
  const ports: NumberPool = {
    ...none,
    has: () => true,
    findFree: (except) => 1 + (except.size === 0 ? PRETENDED_PORTS : Math.max(...except)),
  };
  return { cidr, addresses, ports, isDryRun: true };
}

/** Without the first address, which is the network, and the last one, which is the broadcast. */
function addressPool(cidr: Cidr): NumberPool {
  const bits = cidr.network.length * 8 - cidr.prefixLength;
  const size = Math.min(2 ** bits, ADDRESSES_MAX);
  const reserved = Math.min(Math.max(16, Math.floor(size / 16)), 256);
  return numberPool({ first: 1, last: size - 2, reserved: size > 32 ? reserved : 0 });
}

function hold({ cidr, addresses, ports }: Pools, { spec }: Service): void {
  for (const number of addressNumbers(cidr, spec)) addresses.take(number);
  for (const port of heldPorts(spec)) ports.take(port);
}

function letGo({ cidr, addresses, ports }: Pools, { spec }: Service): void {
  for (const number of addressNumbers(cidr, spec)) addresses.giveBack(number);
  for (const port of heldPorts(spec)) ports.giveBack(port);
}

function addressNumbers(cidr: Cidr, { clusterIPs = [] }: ServiceSpec): number[] {
  return clusterIPs.flatMap((ip) => addressNumber(cidr, ip) ?? []);
}

/** The distance of an address from the start of the range; undefined outside of it. */
function addressNumber(cidr: Cidr, ip: string): number | undefined {
  const address = parseAddress(ip);
  if (address === undefined || !cidrContains(cidr, address)) return undefined;
  const distance = address.reduce((sum, byte, at) => sum * 256 + byte - (cidr.network[at] ?? 0), 0);
  return distance < ADDRESSES_MAX ? distance : undefined;
}

function heldPorts({ ports = [], healthCheckNodePort }: ServiceSpec): number[] {
  return [...ports.map((port) => port.nodePort), healthCheckNodePort].filter(
    (port) => port !== undefined,
  );
}

/** Node ports of other Service types are not checked here: validation rejects them. */
function allocate(pools: Pools, service: Draft<Service>, old: Service | undefined): void {
  const { spec } = service;
  if (needsClusterIP(spec) && !isHeadless(spec)) allocateAddress(pools, service, old);
  const held = new Set(old ? heldPorts(old.spec) : []);
  const claims: Claims = { isNew: old === undefined, held, made: new Set() };
  if (spec.type === "NodePort" || spec.type === "LoadBalancer") {
    allocateNodePorts(pools, service, claims);
  }
  if (!needsHealthCheckNodePort(spec)) return;
  const { healthCheckNodePort: port } = spec;
  if (port === undefined) spec.healthCheckNodePort = nextPort(pools, claims);
  else claim(pools, service, { port, path: "spec.healthCheckNodePort", claims });
}

/** A Service keeps its address for life; only a former ExternalName Service can get a new one. */
function allocateAddress(pools: Pools, service: Draft<Service>, old: Service | undefined): void {
  const { spec } = service;
  const { cidr, addresses } = pools;
  const given = spec.clusterIPs?.[0];
  if (given === undefined) {
    const number = addresses.findFree(new Set());
    if (number === undefined) throw internalError("failed to allocate a serviceIP: range is full");
    spec.clusterIP = formatAddress(addressAt(cidr, number));
    spec.clusterIPs = [spec.clusterIP];
    return;
  }
  if (old !== undefined && old.spec.type !== "ExternalName") return;
  const problem = addressProblem(pools, given);
  if (problem === undefined) return;
  const detail = `failed to allocate IP ${given}: ${problem}`;
  throw refused(service, invalid("spec.clusterIPs", spec.clusterIPs, detail));
}

function addressProblem({ cidr, addresses, isDryRun }: Pools, ip: string): string | undefined {
  const number = addressNumber(cidr, ip);
  if (number !== undefined && addresses.has(number)) {
    return addresses.isTaken(number) ? "provided IP is already allocated" : undefined;
  }
  if (!isDryRun) return "the provided network does not match the current range";
  const range = `${formatAddress(cidr.network)}/${cidr.prefixLength}`;
  return `the provided IP (${ip}) is not in the valid range. The range of valid IPs is ${range}`;
}

/** The ports that this Service already has, or claims in this request. */
interface Claims {
  readonly isNew: boolean;
  readonly held: ReadonlySet<number>;
  readonly made: Set<number>;
}

/**
 * If a port occurs with two protocols, both share one node port, and a node port given for one of
 * them counts for both. Ports that an update adds each get their own.
 */
function allocateNodePorts(pools: Pools, service: Draft<Service>, claims: Claims): void {
  const { ports = [] } = service.spec;
  const shared = new Map<number, number>();
  for (const [at, servicePort] of ports.entries()) {
    if (servicePort.nodePort === undefined && !needsNodePort(service.spec)) continue;
    const known = shared.get(servicePort.port);
    const named = claims.isNew ? (known ?? askedFor(ports, servicePort)) : undefined;
    const asked = servicePort.nodePort ?? named;
    if (asked !== undefined && asked !== known) {
      claim(pools, service, { port: asked, path: `spec.ports[${at}].nodePort`, claims });
    }
    servicePort.nodePort = asked ?? nextPort(pools, claims);
    if (known === undefined) shared.set(servicePort.port, servicePort.nodePort);
  }
}

function askedFor(ports: readonly ServicePort[], { port }: ServicePort): number | undefined {
  return ports.find((other) => other.port === port && other.nodePort !== undefined)?.nodePort;
}

interface AskedPort {
  readonly port: number;
  readonly path: string;
  readonly claims: Claims;
}

function claim({ ports }: Pools, service: Draft<Service>, asked: AskedPort): void {
  const { port, path, claims } = asked;
  if (claims.held.has(port) || (!claims.isNew && claims.made.has(port))) return;
  if (!ports.has(port)) {
    const range = `${NODE_PORTS.first}-${NODE_PORTS.last}`;
    const rule = "provided port is not in the valid range. The range of valid ports is";
    throw refused(service, invalid(path, port, `${rule} ${range}`));
  }
  if (ports.isTaken(port) || claims.made.has(port)) {
    throw refused(service, invalid(path, port, "provided port is already allocated"));
  }
  claims.made.add(port);
}

function nextPort({ ports }: Pools, claims: Claims): number {
  const port = ports.findFree(claims.made);
  if (port === undefined) throw internalError("failed to allocate a nodePort: range is full");
  claims.made.add(port);
  return port;
}

function refused(service: Draft<Service>, finding: Finding): ApiError {
  const target = { group: "", kind: "Service" };
  return invalidObject(target, service.metadata.name ?? "", [finding]);
}
