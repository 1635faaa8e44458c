import { expect, test } from "vitest";
import { aServer } from "../../test/builders/server.ts";
import { ask } from "../../test/support/ask.ts";
import { publishServer } from "./publish-server.ts";

const ENDPOINTS = "/api/v1/namespaces/default/endpoints/kubernetes";
const SLICE = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes";

test("the endpoints of the server's Service follow its address", () => {
  const server = aServer();
  publishServer(server, { host: "127.0.0.1", port: 6443 });
  publishServer(server, { host: "192.0.2.1", port: 7000 });
  const ports = [{ name: "https", port: 7000, protocol: "TCP" }];
  expect(ask(server, "GET", ENDPOINTS).object).toMatchObject({
    metadata: { labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
    subsets: [{ addresses: [{ ip: "192.0.2.1" }], ports }],
  });
  expect(ask(server, "GET", SLICE).object).toMatchObject({
    metadata: { labels: { "kubernetes.io/service-name": "kubernetes" } },
    addressType: "IPv4",
    endpoints: [{ addresses: ["192.0.2.1"], conditions: { ready: true } }],
    ports,
  });
});

test("a start at the same address or on IPv6 writes nothing", () => {
  const server = aServer();
  publishServer(server, { host: "127.0.0.1", port: 6443 });
  const before = server.store.revision;
  publishServer(server, { host: "127.0.0.1", port: 6443 });
  publishServer(server, { host: "::1", port: 6443 });
  expect(server.store.revision).toBe(before);
});
