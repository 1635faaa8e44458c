import { expect, test } from "vitest";
import type { Service } from "../../api/generated/core.ts";
import { serviceVariables } from "./service-variables.ts";

function aService(name: string, spec: Service["spec"], namespace = "default"): Service {
  const status = { loadBalancer: {} };
  return { apiVersion: "v1", kind: "Service", metadata: { name, namespace }, spec, status };
}

const KUBERNETES = aService("kubernetes", {
  clusterIP: "10.0.0.1",
  ports: [{ name: "https", port: 443, protocol: "TCP" }],
});
const DATABASE = aService(
  "my-db",
  {
    clusterIP: "10.0.0.9",
    ports: [{ port: 5432 }, { name: "dns-udp", port: 53, protocol: "UDP" }],
  },
  "work",
);
const IN_WORK = { namespace: "work", hasServiceLinks: true };

function namesFor(services: readonly Service[], reader = IN_WORK): string[] {
  return [...serviceVariables(services, reader).keys()].sort();
}

test("the server is told where it is really reached, and its Service is not", () => {
  const apiServer = { host: "127.0.0.1", port: 6443 };
  const variables = serviceVariables([KUBERNETES, DATABASE], { ...IN_WORK, apiServer });
  expect(variables.get("KUBERNETES_SERVICE_HOST")).toBe("127.0.0.1");
  expect(variables.get("KUBERNETES_SERVICE_PORT")).toBe("6443");
  expect(variables.get("KUBERNETES_SERVICE_PORT_HTTPS")).toBe("6443");
  expect(variables.get("KUBERNETES_PORT")).toBe("tcp://127.0.0.1:6443");
  expect(variables.get("MY_DB_SERVICE_HOST")).toBe("10.0.0.9");
});

test("a service is told by host, ports and links", () => {
  const variables = serviceVariables([DATABASE], IN_WORK);
  expect(Object.fromEntries(variables)).toEqual({
    MY_DB_SERVICE_HOST: "10.0.0.9",
    MY_DB_SERVICE_PORT: "5432",
    MY_DB_SERVICE_PORT_DNS_UDP: "53",
    MY_DB_PORT: "tcp://10.0.0.9:5432",
    MY_DB_PORT_5432_TCP: "tcp://10.0.0.9:5432",
    MY_DB_PORT_5432_TCP_PROTO: "tcp",
    MY_DB_PORT_5432_TCP_PORT: "5432",
    MY_DB_PORT_5432_TCP_ADDR: "10.0.0.9",
    MY_DB_PORT_53_UDP: "udp://10.0.0.9:53",
    MY_DB_PORT_53_UDP_PROTO: "udp",
    MY_DB_PORT_53_UDP_PORT: "53",
    MY_DB_PORT_53_UDP_ADDR: "10.0.0.9",
  });
});

test("an address of IPv6 stands in brackets where a port follows", () => {
  const service = aService("six", { clusterIP: "fd00::1", ports: [{ port: 80 }] }, "work");
  const variables = serviceVariables([service], IN_WORK);
  expect(variables.get("SIX_PORT")).toBe("tcp://[fd00::1]:80");
  expect(variables.get("SIX_SERVICE_HOST")).toBe("fd00::1");
});

test.each<[string, Service["spec"]]>([
  ["headless", { clusterIP: "None", ports: [{ port: 80 }] }],
  ["external", { externalName: "example.com" }],
  ["not yet allocated", { clusterIP: "", ports: [{ port: 80 }] }],
])("a service without an address is not told: %s", (_, spec) => {
  expect(namesFor([aService("s", spec, "work")])).toEqual([]);
});

test("services of other namespaces are not told, the API server always is", () => {
  const other = aService("other", { clusterIP: "10.0.0.3", ports: [{ port: 80 }] }, "elsewhere");
  const names = namesFor([other, DATABASE, KUBERNETES]);
  expect(names).toContain("KUBERNETES_SERVICE_PORT_HTTPS");
  expect(names).toContain("MY_DB_SERVICE_HOST");
  expect(names.filter((name) => name.startsWith("OTHER"))).toEqual([]);
});

test("without service links only the API server is told", () => {
  const names = namesFor([DATABASE, KUBERNETES], { ...IN_WORK, hasServiceLinks: false });
  expect(names).toContain("KUBERNETES_SERVICE_HOST");
  expect(names.filter((name) => name.startsWith("MY_DB"))).toEqual([]);
});

test.each([
  ["before", true],
  ["after", false],
])("a namespace's own service named kubernetes hides the API server %s it", (_, isFirst) => {
  const own = aService("kubernetes", { clusterIP: "10.0.0.7", ports: [{ port: 80 }] }, "work");
  const services = isFirst ? [own, KUBERNETES] : [KUBERNETES, own];
  const variables = serviceVariables(services, IN_WORK);
  expect(variables.get("KUBERNETES_SERVICE_HOST")).toBe("10.0.0.7");
  expect(variables.has("KUBERNETES_SERVICE_PORT_HTTPS")).toBe(false);
});

test("a headless service named kubernetes hides nothing", () => {
  const own = aService("kubernetes", { clusterIP: "None", ports: [{ port: 80 }] }, "work");
  const variables = serviceVariables([own, KUBERNETES], IN_WORK);
  expect(variables.get("KUBERNETES_SERVICE_HOST")).toBe("10.0.0.1");
});
