import { describe, expect, test } from "vitest";
import type { Service } from "../api/generated/core.ts";
import type { EndpointSlice } from "../api/generated/discovery.ts";
import { type Frontend, planFrontends, unservedOf } from "./plan.ts";

type Fields = { readonly [field: string]: unknown };

function service(spec: Fields, metadata: Fields = {}): Service {
  const whole = { clusterIP: "10.96.0.7", clusterIPs: ["10.96.0.7"], type: "ClusterIP", ...spec };
  return {
    metadata: { name: "web", namespace: "default", ...metadata },
    spec: { ports: [{ name: "http", port: 80, protocol: "TCP" }], ...whole },
  } as unknown as Service;
}

const READY = { ready: true, serving: true, terminating: false };
const UNREADY = { ready: false, serving: false, terminating: false };
const GOING = { ready: false, serving: true, terminating: true };

function slice(endpoints: readonly Fields[], ports: readonly Fields[] = [PORT]): EndpointSlice {
  return { addressType: "IPv4", endpoints, ports } as unknown as EndpointSlice;
}

const PORT = { name: "http", port: 8080, protocol: "TCP" };
const SLICE = slice([
  { addresses: ["10.1.0.1"], conditions: READY, nodeName: "here" },
  { addresses: ["10.1.0.2"], conditions: UNREADY, nodeName: "here" },
  { addresses: ["10.1.0.3"], conditions: GOING, nodeName: "there" },
  { addresses: ["10.1.0.4"], nodeName: "there" },
]);

function plan(made: Service, slices: readonly EndpointSlice[] = [SLICE]): readonly Frontend[] {
  const node = { nodeAddress: "127.0.0.1", nodeName: "here" };
  return planFrontends({ services: [made], slicesOf: () => slices, ...node });
}

function targets(frontends: readonly Frontend[]): readonly string[] {
  return frontends.map(({ protocol, address, port, backends }) => {
    const to = backends.map((each) => `${each.address}:${each.port}`).join(" ");
    return `${protocol} ${address}:${port} -> ${to}`;
  });
}

describe("an address of a Service", () => {
  test("maps to the ready endpoints, with the port of each", () => {
    expect(targets(plan(service({})))).toEqual(["TCP 10.96.0.7:80 -> 10.1.0.1:8080 10.1.0.4:8080"]);
  });

  test("maps to terminating endpoints that still serve if none is ready", () => {
    const slices = [slice([{ addresses: ["10.1.0.3"], conditions: GOING }])];
    expect(targets(plan(service({}), slices))).toEqual(["TCP 10.96.0.7:80 -> 10.1.0.3:8080"]);
  });

  test.each<[string, Fields, readonly EndpointSlice[]]>([
    ["no endpoint is ready", {}, [slice([{ addresses: ["10.1.0.2"], conditions: UNREADY }])]],
    ["the port has another name", { ports: [{ name: "other", port: 80 }] }, [SLICE]],
    ["it is headless", { clusterIP: "None", clusterIPs: ["None"] }, [SLICE]],
    ["it is an ExternalName", { type: "ExternalName" }, [SLICE]],
    ["its protocol is SCTP", { ports: [{ name: "http", port: 80, protocol: "SCTP" }] }, [SLICE]],
  ])("is not listened on if %s", (_why, spec, slices) => {
    expect(plan(service(spec), slices)).toEqual([]);
  });

  test("is skipped if a service-proxy-name is set", () => {
    const labels = { "service.kubernetes.io/service-proxy-name": "somebody" };
    expect(plan(service({}, { labels }))).toEqual([]);
  });

  test("maps only to endpoints of this node with internalTrafficPolicy Local", () => {
    expect(targets(plan(service({ internalTrafficPolicy: "Local" })))).toEqual([
      "TCP 10.96.0.7:80 -> 10.1.0.1:8080",
    ]);
  });
});

test("unsupported features are listed", () => {
  const ports = [
    { port: 80, protocol: "TCP" },
    { port: 81, protocol: "SCTP" },
  ];
  const asked = { type: "LoadBalancer", ports, externalIPs: ["192.0.2.1"] };
  expect(unservedOf(service(asked))).toEqual([
    "port 81 of SCTP",
    "the external address 192.0.2.1",
    "a load balancer",
  ]);
  expect(unservedOf(service({}))).toEqual([]);
});

test("a node port is an additional frontend, with its own traffic policy", () => {
  const ports = [{ name: "http", port: 80, protocol: "TCP", nodePort: 30080 }];
  const made = service({ type: "NodePort", ports, externalTrafficPolicy: "Local" });
  expect(targets(plan(made))).toEqual([
    "TCP 10.96.0.7:80 -> 10.1.0.1:8080 10.1.0.4:8080",
    "TCP 127.0.0.1:30080 -> 10.1.0.1:8080",
  ]);
  expect(plan(made).map(({ isOpen }) => isOpen)).toEqual([false, true]);
});

test.each([
  [{}, undefined],
  [{ sessionAffinity: "ClientIP" }, 10_800],
  [
    { sessionAffinity: "ClientIP", sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } } },
    60,
  ],
])("the session affinity of %j is %s seconds", (spec, seconds) => {
  expect(plan(service(spec))[0]?.affinitySeconds).toBe(seconds);
});
