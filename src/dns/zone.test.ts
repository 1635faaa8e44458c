import { describe, expect, test } from "vitest";
import { storedPod } from "../../test/builders/pod.ts";
import type { Pod, Service } from "../api/generated/core.ts";
import type { EndpointSlice } from "../api/generated/discovery.ts";
import { formatAddress } from "../base/address.ts";
import { type DnsRecord, TYPE } from "./wire.ts";
import { type ClusterView, lookUp } from "./zone.ts";

type Fields = { readonly [field: string]: unknown };

function service(name: string, spec: Fields, namespace = "default"): Service {
  const metadata = { name, namespace, uid: `uid-${name}` };
  return { apiVersion: "v1", kind: "Service", metadata, spec, status: {} } as unknown as Service;
}

function slice(name: string, endpoints: readonly Fields[], ports: readonly Fields[] = []) {
  const labels = { "kubernetes.io/service-name": name };
  const metadata = { name: `${name}-abc`, namespace: "default", labels };
  return { metadata, addressType: "IPv4", endpoints, ports } as unknown as EndpointSlice;
}

function peer(index: number, podIP: string): Pod {
  return storedPod({
    metadata: { name: `job-${index}-x`, labels: { job: "job", index: String(index) } },
    spec: { hostname: `job-${index}`, subdomain: "peers" },
    status: { podIP, podIPs: [{ ip: podIP }] },
  });
}

const SERVICES = [
  service("web", {
    clusterIP: "10.96.0.7",
    clusterIPs: ["10.96.0.7"],
    ports: [
      { name: "http", port: 80, protocol: "TCP" },
      { port: 81, protocol: "UDP" },
    ],
  }),
  service("db", {
    clusterIP: "None",
    clusterIPs: ["None"],
    ports: [{ name: "sql", port: 5432, protocol: "TCP" }],
    selector: { app: "db" },
  }),
  service("empty", { clusterIP: "None", clusterIPs: ["None"], selector: { app: "none" } }),
  service("peers", { clusterIP: "None", clusterIPs: ["None"], selector: { job: "job" } }),
  service("outside", { type: "ExternalName", externalName: "example.com." }),
  service("kube-dns", { clusterIP: "10.96.0.10", clusterIPs: ["10.96.0.10"] }, "kube-system"),
];

const SLICES = [
  slice(
    "db",
    [
      { addresses: ["10.1.0.1"], hostname: "db-0", conditions: { ready: true } },
      { addresses: ["10.1.0.2"], conditions: { ready: true } },
      { addresses: ["10.1.0.3"], hostname: "db-2", conditions: { ready: false } },
      { addresses: ["10.1.0.4"], hostname: "db-3" },
    ],
    [{ name: "sql", port: 15432, protocol: "TCP" }],
  ),
];

const PEERS = [peer(0, "127.64.0.1"), peer(1, "127.64.0.2")];

const VIEW: ClusterView = {
  findService: (namespace, name) =>
    SERVICES.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
  hasServices: (namespace) => SERVICES.some(({ metadata }) => metadata.namespace === namespace),
  slicesOf: (_namespace, name) =>
    SLICES.filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === name),
  peersOf: (_namespace, name, host) =>
    PEERS.filter(
      ({ spec }) => spec.subdomain === name && (host === undefined || spec.hostname === host),
    ),
  servicesAt: (address) => SERVICES.filter(({ spec }) => spec.clusterIP === address),
  slicesAt: (address) =>
    SLICES.filter(({ endpoints }) => endpoints?.some((each) => each.addresses?.[0] === address)),
  peersAt: (address) => PEERS.filter(({ status }) => status.podIP === address),
  isOurs: (address) => address.startsWith("10."),
};

function ask(name: string, type: keyof typeof TYPE = "A"): string | readonly string[] {
  const found = lookUp(VIEW, name, TYPE[type]);
  if (found.kind === "alias") return `alias of ${found.record.target}`;
  return found.kind === "records" ? found.records.map(textOf) : found.kind;
}

function textOf(record: DnsRecord): string {
  switch (record.type) {
    case TYPE.A:
    case TYPE.AAAA:
      return formatAddress(record.address);
    case TYPE.SRV:
      return `${record.weight} ${record.port} ${record.target}`;
    case TYPE.TXT:
      return record.text;
    case TYPE.SOA:
      return "SOA";
    default:
      return record.target;
  }
}

const NO_NAME = "no name";

describe("a name of the cluster", () => {
  test.each<[string, keyof typeof TYPE, string | readonly string[]]>([
    ["web.default.svc.cluster.local", "A", ["10.96.0.7"]],
    ["WEB.Default.svc.CLUSTER.local", "A", ["10.96.0.7"]],
    ["web.default.svc.cluster.local", "AAAA", []],
    ["web.default.svc.cluster.local", "TXT", []],
    ["x.web.default.svc.cluster.local", "A", NO_NAME],
    ["nothing.default.svc.cluster.local", "A", NO_NAME],
    ["web.other.svc.cluster.local", "A", NO_NAME],
    ["default.svc.cluster.local", "A", []],
    ["other.svc.cluster.local", "A", NO_NAME],
    ["svc.cluster.local", "A", []],
    ["cluster.local", "A", []],
    ["cluster.local", "SOA", ["SOA"]],
    ["what.cluster.local", "A", NO_NAME],
    ["dns-version.cluster.local", "TXT", ["1.1.0"]],
    ["dns-version.cluster.local", "A", []],
    ["cluster-id.cluster.local", "TXT", ["uid-kube-dns"]],
    ["example.com", "A", "elsewhere"],
    ["notcluster.local", "A", "elsewhere"],
  ])("%s %s is %j", (name, type, answer) => expect(ask(name, type)).toEqual(answer));
});

describe("a headless Service", () => {
  test.each<[string, keyof typeof TYPE, string | readonly string[]]>([
    ["db.default.svc.cluster.local", "A", ["10.1.0.1", "10.1.0.2", "10.1.0.4"]],
    ["db-0.db.default.svc.cluster.local", "A", ["10.1.0.1"]],
    ["db-0.db.default.svc.cluster.local", "AAAA", []],
    ["10-1-0-2.db.default.svc.cluster.local", "A", ["10.1.0.2"]],
    ["db-2.db.default.svc.cluster.local", "A", NO_NAME],
    ["empty.default.svc.cluster.local", "A", NO_NAME],
  ])("answers %s %s with %j", (name, type, answer) => expect(ask(name, type)).toEqual(answer));
});

describe("a port", () => {
  const full = "default.svc.cluster.local";
  test.each<[string, keyof typeof TYPE, string | readonly string[]]>([
    [`_http._tcp.web.${full}`, "SRV", [`100 80 web.${full}`]],
    [`_http._tcp.web.${full}`, "A", []],
    [`_http._udp.web.${full}`, "SRV", NO_NAME],
    [`_tcp.web.${full}`, "SRV", []],
    [`_udp.web.${full}`, "SRV", NO_NAME],
    [
      `_sql._tcp.db.${full}`,
      "SRV",
      [`33 15432 db-0.db.${full}`, `33 15432 10-1-0-2.db.${full}`, `33 15432 db-3.db.${full}`],
    ],
  ])("is known as %s %s: %j", (name, type, answer) => expect(ask(name, type)).toEqual(answer));

  test("comes with the addresses of its hosts", () => {
    const found = lookUp(VIEW, `_sql._tcp.db.${full}`, TYPE.SRV);
    const additional = found.kind === "records" ? (found.additional ?? []) : [];
    expect(additional.map((record) => `${record.name} ${textOf(record)}`)).toEqual([
      `db-0.db.${full} 10.1.0.1`,
      `10-1-0-2.db.${full} 10.1.0.2`,
      `db-3.db.${full} 10.1.0.4`,
    ]);
  });
});

describe("pods of an Indexed Job", () => {
  test.each([
    ["job-0.peers.default.svc.cluster.local", ["127.64.0.1"]],
    ["job-1.peers.default.svc.cluster.local", ["127.64.0.2"]],
    ["job-2.peers.default.svc.cluster.local", NO_NAME],
    // No pod is ready, but there are names below it.
    ["peers.default.svc.cluster.local", []],
  ])("have their names while they are active: %s is %j", (name, answer) => {
    expect(ask(name)).toEqual(answer);
  });

  test("have no name below a Service that does not select them", () => {
    const narrow = service("peers", { clusterIP: "None", selector: { job: "job", index: "1" } });
    const view = { ...VIEW, findService: () => narrow };
    const kindOf = (host: string) =>
      lookUp(view, `${host}.peers.default.svc.cluster.local`, TYPE.A).kind;
    expect([kindOf("job-0"), kindOf("job-1")]).toEqual(["no name", "records"]);
  });
});

describe("an address", () => {
  test.each([
    ["7.0.96.10.in-addr.arpa", ["web.default.svc.cluster.local"]],
    ["1.0.1.10.in-addr.arpa", ["db-0.db.default.svc.cluster.local"]],
    ["2.0.1.10.in-addr.arpa", ["10-1-0-2.db.default.svc.cluster.local"]],
    ["1.0.64.127.in-addr.arpa", ["job-0.peers.default.svc.cluster.local"]],
    ["9.9.9.10.in-addr.arpa", NO_NAME],
    ["8.8.8.8.in-addr.arpa", "elsewhere"],
    ["9.10.in-addr.arpa", "elsewhere"],
  ])("%s is %j", (name, answer) => expect(ask(name, "PTR")).toEqual(answer));
});

test("a Service with an external name is an alias, and answers CNAME questions", () => {
  const name = "outside.default.svc.cluster.local";
  expect(ask(name)).toBe("alias of example.com");
  expect(ask(name, "CNAME")).toEqual(["example.com"]);
});

test.each([
  ["1-2-3-4.default.pod.cluster.local", ["1.2.3.4"]],
  ["1-2-3.default.pod.cluster.local", NO_NAME],
  ["default.pod.cluster.local", []],
])("a pod name contains its address: %s is %j", (name, answer) => {
  expect(ask(name)).toEqual(answer);
});
