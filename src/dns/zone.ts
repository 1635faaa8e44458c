/**
 * Pure: the names of a cluster, according to the DNS specification of Kubernetes, version 1.1.
 *
 * Names are looked up in the objects themselves; there is no separate state. One addition to the
 * specification: pods of an Indexed Job have names as long as they are active, ready or not, so
 * that peers find each other before any of them is ready.
 */
import type { Pod, Service, ServicePort } from "../api/generated/core.ts";
import type { Endpoint, EndpointSlice } from "../api/generated/discovery.ts";
import { formatAddress, parseAddress } from "../base/address.ts";
import { type DnsRecord, TYPE } from "./wire.ts";

export const ZONE = "cluster.local";
const SPECIFICATION = "1.1.0";
/** Short, because a replaced pod has another address. */
export const TTL_SECONDS = 5;

/** The objects of a cluster. Every list may be empty. */
export interface ClusterView {
  findService(namespace: string, name: string): Service | undefined;
  hasServices(namespace: string): boolean;
  slicesOf(namespace: string, service: string): readonly EndpointSlice[];
  /** Active pods of Indexed Jobs in the subdomain of a Service, all or those with one host name. */
  peersOf(namespace: string, service: string, hostname?: string): readonly Pod[];
  servicesAt(address: string): readonly Service[];
  slicesAt(address: string): readonly EndpointSlice[];
  peersAt(address: string): readonly Pod[];
  /**
   * Whether an address without a name belongs to the cluster, so that the answer is "no such name".
   */
  isOurs(address: string): boolean;
}

export type Found =
  | ({ readonly kind: "records"; readonly records: readonly DnsRecord[] } & Additional)
  /** A name that the caller has to look up in turn. */
  | { readonly kind: "alias"; readonly record: DnsRecord & { readonly target: string } }
  | { readonly kind: "no name" }
  /** Not a name of the cluster. */
  | { readonly kind: "elsewhere" };

interface Additional {
  readonly additional?: readonly DnsRecord[];
}

const NO_NAME: Found = { kind: "no name" };
const NO_DATA: Found = { kind: "records", records: [] };

/** `name` has no dot at the end; case is ignored. */
export function lookUp(view: ClusterView, name: string, type: number): Found {
  const asked = name.toLowerCase();
  if (asked.endsWith(".in-addr.arpa") || asked.endsWith(".ip6.arpa")) {
    return lookUpAddress(view, asked, name);
  }
  if (asked !== ZONE && !asked.endsWith(`.${ZONE}`)) return { kind: "elsewhere" };
  const labels = asked.slice(0, -ZONE.length).split(".").filter(Boolean).reverse();
  const [kind, ...below] = labels;
  const question = { name, type };
  if (kind === undefined) return ofType(question, [authorityRecord(name)]);
  if (kind === "svc") return lookUpService(view, below, question);
  if (kind === "pod") return lookUpPod(below, question);
  const text = below.length === 0 ? textOf(view, kind) : undefined;
  if (text === undefined) return NO_NAME;
  return ofType(question, [{ name, ttl: TTL_SECONDS, type: TYPE.TXT, text }]);
}

/** A TXT record by which a process recognizes the name server of its own cluster. */
export const CLUSTER_ID = "cluster-id";
export const DNS_SERVICE = { namespace: "kube-system", name: "kube-dns" };

function textOf(view: ClusterView, label: string): string | undefined {
  if (label === "dns-version") return SPECIFICATION;
  if (label !== CLUSTER_ID) return undefined;
  return view.findService(DNS_SERVICE.namespace, DNS_SERVICE.name)?.metadata.uid;
}

/** Negative answers have the same lifetime as all other answers. */
export function authorityRecord(name: string = ZONE): DnsRecord {
  return { name, ttl: TTL_SECONDS, type: TYPE.SOA, serial: 1, minimumTtl: TTL_SECONDS };
}

interface Question {
  readonly name: string;
  readonly type: number;
}

/** Labels from right to left: namespace, service, then a host, or a protocol and a port. */
function lookUpService(view: ClusterView, labels: readonly string[], question: Question): Found {
  const [namespace, name, third, fourth, ...more] = labels;
  if (namespace === undefined) return NO_DATA;
  if (name === undefined) return view.hasServices(namespace) ? NO_DATA : NO_NAME;
  const service = view.findService(namespace, name);
  if (service === undefined || more.length > 0) return NO_NAME;
  const seen: SeenService = { view, service, namespace, name };
  if (service.spec.type === "ExternalName") {
    return third === undefined ? aliasOf(service, question) : NO_NAME;
  }
  if (third === undefined) return ofService(seen, question);
  if (third.startsWith("_")) return lookUpPort(seen, { third, fourth }, question);
  return fourth === undefined ? lookUpHost(seen, third, question) : NO_NAME;
}

interface SeenService {
  readonly view: ClusterView;
  readonly service: Service;
  readonly namespace: string;
  readonly name: string;
}

function aliasOf({ spec }: Service, { name, type }: Question): Found {
  const target = (spec.externalName ?? "").replace(/\.$/, "");
  if (target === "") return NO_NAME;
  const record = { name, ttl: TTL_SECONDS, type: TYPE.CNAME, target } as const;
  if (type === TYPE.CNAME) return { kind: "records", records: [record] };
  return { kind: "alias", record };
}

function ofService(seen: SeenService, question: Question): Found {
  const { service } = seen;
  if (!isHeadless(service)) return ofType(question, addresses(question.name, clusterIps(service)));
  const all = hostsOf(seen).map(({ address }) => address);
  if (all.length > 0) return ofType(question, addresses(question.name, distinct(all)));
  // A name with names below it exists, even if it has no addresses.
  return peersOf(seen).length > 0 ? NO_DATA : NO_NAME;
}

/** The pods in its subdomain that the Service selects. */
function peersOf({ view, service, namespace, name }: SeenService, host?: string): readonly Pod[] {
  const selector = Object.entries(service.spec.selector ?? {});
  if (selector.length === 0) return [];
  return view
    .peersOf(namespace, name, host)
    .filter(({ metadata }) => selector.every(([key, value]) => metadata.labels?.[key] === value));
}

function lookUpHost(seen: SeenService, host: string, question: Question): Found {
  if (!isHeadless(seen.service)) return NO_NAME;
  const peers = peersOf(seen, host).flatMap(addressesOf);
  const all =
    peers.length > 0
      ? peers
      : hostsOf(seen).flatMap((each) => (each.host === host ? [each.address] : []));
  return all.length > 0 ? ofType(question, addresses(question.name, distinct(all))) : NO_NAME;
}

interface PortLabels {
  readonly third: string;
  readonly fourth: string | undefined;
}

/** For example "_http._tcp". Only named ports have an SRV record. */
function lookUpPort(seen: SeenService, labels: PortLabels, question: Question): Found {
  const { service } = seen;
  const { third: protocol, fourth: portName } = labels;
  const named = (service.spec.ports ?? []).filter(
    (port) => port.name && `_${(port.protocol || "TCP").toLowerCase()}` === protocol,
  );
  if (portName === undefined) return named.length > 0 ? NO_DATA : NO_NAME;
  const port = named.find((each) => `_${each.name?.toLowerCase()}` === portName);
  if (port === undefined) return NO_NAME;
  const full = `${seen.name}.${seen.namespace}.svc.${ZONE}`;
  const targets = isHeadless(service)
    ? hostsOf(seen, port).map(({ host, address, port: number }) => {
        return { target: `${host}.${full}`, address, port: number ?? port.port };
      })
    : clusterIps(service).map((address) => ({ target: full, address, port: port.port }));
  if (targets.length === 0) return NO_NAME;
  if (question.type !== TYPE.SRV) return NO_DATA;
  const weight = Math.max(1, Math.floor(100 / targets.length));
  const records = targets.map(({ target, port: number }) => {
    const data = { type: TYPE.SRV, port: number, weight, target } as const;
    return { name: question.name, ttl: TTL_SECONDS, ...data };
  });
  const additional = targets.flatMap(({ target, address }) => addresses(target, [address]));
  return { kind: "records", records, additional };
}

interface Host {
  /** The label below that of the Service. */
  readonly host: string;
  readonly address: string;
  /** The port of the Service on this host. */
  readonly port: number | undefined;
}

/** The ready endpoints. With publishNotReadyAddresses, all endpoints are marked as ready. */
function hostsOf({ view, namespace, name }: SeenService, port?: ServicePort): readonly Host[] {
  return view.slicesOf(namespace, name).flatMap(({ endpoints, ports, addressType }) => {
    if (addressType !== "IPv4" && addressType !== "IPv6") return [];
    const named = (ports ?? []).find((each) => (each.name ?? "") === (port?.name ?? ""));
    if (port !== undefined && named === undefined) return [];
    return (endpoints ?? []).filter(isReady).flatMap((endpoint) =>
      (endpoint.addresses ?? []).map((address) => {
        return { host: hostOf(endpoint, address), address, port: named?.port };
      }),
    );
  });
}

function isReady({ conditions }: Endpoint): boolean {
  return conditions?.ready !== false;
}

/** An endpoint without a hostname is named after its address. */
function hostOf({ hostname }: Endpoint, address: string): string {
  return hostname || address.replaceAll(/[.:]/g, "-");
}

function isHeadless({ spec }: Service): boolean {
  return clusterIps({ spec }).length === 0;
}

function clusterIps({ spec }: Pick<Service, "spec">): readonly string[] {
  const { clusterIP = "", clusterIPs = [] } = spec;
  const all = clusterIPs.length > 0 ? clusterIPs : [clusterIP];
  return all.filter((address) => address !== "" && address !== "None");
}

function addressesOf({ status }: Pod): readonly string[] {
  const all = (status.podIPs ?? []).map(({ ip }) => ip);
  return all.length > 0 ? all : [status.podIP ?? ""].filter(Boolean);
}

/** "1-2-3-4.default.pod": the address is derived from the name itself. */
function lookUpPod(labels: readonly string[], question: Question): Found {
  const [namespace, host, ...more] = labels;
  if (namespace === undefined || host === undefined) return NO_DATA;
  const address = host.replaceAll("-", ".");
  if (more.length > 0 || parseAddress(address) === undefined) return NO_NAME;
  return ofType(question, addresses(question.name, [address]));
}

function lookUpAddress(view: ClusterView, asked: string, name: string): Found {
  const address = addressIn(asked);
  if (address === undefined) return { kind: "elsewhere" };
  const targets = [
    ...view.servicesAt(address).map((service) => fullName(service)),
    ...view.slicesAt(address).flatMap((slice) => namesAt(view, slice, address)),
    ...view.peersAt(address).map(peerName),
  ];
  if (targets.length === 0) return view.isOurs(address) ? NO_NAME : { kind: "elsewhere" };
  const records = distinct(targets).map((target) => {
    return { name, ttl: TTL_SECONDS, type: TYPE.PTR, target } as const;
  });
  return { kind: "records", records };
}

/** "4.3.2.1.in-addr.arpa". */
function addressIn(asked: string): string | undefined {
  const parts = asked.replace(/\.in-addr\.arpa$/, "").split(".");
  const address = parseAddress(parts.reverse().join("."));
  return address === undefined ? undefined : formatAddress(address);
}

function namesAt(view: ClusterView, slice: EndpointSlice, address: string): readonly string[] {
  const name = slice.metadata.labels?.["kubernetes.io/service-name"];
  const namespace = slice.metadata.namespace ?? "";
  const service = name === undefined ? undefined : view.findService(namespace, name);
  if (service === undefined || !isHeadless(service)) return [];
  return (slice.endpoints ?? [])
    .filter((endpoint) => isReady(endpoint) && (endpoint.addresses ?? []).includes(address))
    .map((endpoint) => `${hostOf(endpoint, address)}.${fullName(service)}`);
}

function peerName({ metadata, spec }: Pod): string {
  return `${spec.hostname}.${spec.subdomain}.${metadata.namespace}.svc.${ZONE}`;
}

function fullName({ metadata }: Service): string {
  return `${metadata.name}.${metadata.namespace}.svc.${ZONE}`;
}

function addresses(name: string, all: readonly string[]): readonly DnsRecord[] {
  return all.flatMap((text): readonly DnsRecord[] => {
    const address = parseAddress(text);
    if (address === undefined) return [];
    const type = address.length === 4 ? TYPE.A : TYPE.AAAA;
    return [{ name, ttl: TTL_SECONDS, type, address }];
  });
}

/** The records of the requested type. A name can exist without any. */
function ofType({ type }: Question, records: readonly DnsRecord[]): Found {
  return { kind: "records", records: records.filter((record) => record.type === type) };
}

function distinct<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}
