import { expect, test } from "vitest";
import { created, patched } from "../../../test/builders/created.ts";
import { formatFinding } from "../../api/finding.ts";
import type { Service } from "../../api/generated/core.ts";
import { type Draft, draftOf, type Json } from "../../api/object.ts";
import { alignClusterIPs, keepAllocated, settleFamilies } from "./families.ts";
import { serviceKind } from "./kind.ts";

const NOW = new Date("2024-01-01T00:01:00Z");
type Spec = { [field: string]: Json };
const web: Spec = { ports: [{ port: 80 }], selector: { app: "x" } };

/** A Service with defaults and settled families, before its address is allocated. */
function service(spec: Spec): Draft<Service> {
  const made = created<Service>(serviceKind, { spec });
  alignClusterIPs(made);
  settleFamilies(made, "IPv4");
  return made;
}

function problems(spec: Spec): string[] {
  return serviceKind.rules.validate(service(spec)).map(formatFinding);
}

/** The findings of an update by merge patch. */
function changeProblems(old: Service, spec: Spec): string[] {
  const next = patched<Service>(serviceKind, old, { spec });
  keepAllocated(next, old);
  alignClusterIPs(next, old);
  const refused = settleFamilies(next, "IPv4", old);
  if (refused.length > 0) return refused.map(formatFinding);
  serviceKind.rules.prepareForUpdate?.(next, old);
  return serviceKind.rules.validateUpdate(next, old).map(formatFinding);
}

function at(spec: Spec, address: string): Service {
  const made = service(spec);
  made.spec.clusterIP = address;
  made.spec.clusterIPs = [address];
  return made;
}

test("a Service defaults to ClusterIP, TCP and a targetPort equal to the port", () => {
  expect(service(web).spec).toEqual({
    ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
    selector: { app: "x" },
    type: "ClusterIP",
    sessionAffinity: "None",
    internalTrafficPolicy: "Cluster",
    ipFamilies: ["IPv4"],
    ipFamilyPolicy: "SingleStack",
  });
});

test("a headless Service without a selector can have both families", () => {
  const { spec } = service({ clusterIP: "None" });
  expect(spec).toMatchObject({
    clusterIPs: ["None"],
    ipFamilies: ["IPv4", "IPv6"],
    ipFamilyPolicy: "RequireDualStack",
  });
});

test("an ExternalName has no addresses and no families", () => {
  const { spec } = service({ type: "ExternalName", externalName: "example.com." });
  expect(spec).toEqual({
    type: "ExternalName",
    externalName: "example.com.",
    sessionAffinity: "None",
  });
});

test.each<[string, Spec, string[]]>([
  [
    "families that this cluster does not have",
    { ...web, ipFamilies: ["IPv6"] },
    ['spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster'],
  ],
  [
    "two families that are required",
    { ...web, ipFamilyPolicy: "RequireDualStack" },
    [
      'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": ' +
        "this cluster is not configured for dual-stack services",
    ],
  ],
  [
    "two families without a policy",
    { ...web, ipFamilies: ["IPv4", "IPv6"] },
    [
      'spec.ipFamilyPolicy: Invalid value: "SingleStack": must be ' +
        "'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified",
    ],
  ],
  [
    "an address of a family that the cluster does not have",
    { ...web, clusterIP: "fd00::1", clusterIPs: ["fd00::1"] },
    ['spec.clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not configured on this cluster'],
  ],
  ["two families where possible", { ...web, ipFamilyPolicy: "PreferDualStack" }, []],
])("the findings for %s: %j", (_, spec, expected) => {
  const made = created<Service>(serviceKind, { spec });
  expect(settleFamilies(made, "IPv4").map(formatFinding)).toEqual(expected);
});

test.each<[string, Spec, string[]]>([
  ["ports are needed", { selector: { app: "x" } }, ["spec.ports: Required value"]],
  [
    "several ports need names",
    { ports: [{ port: 80 }, { port: 81 }] },
    ["spec.ports[0].name: Required value", "spec.ports[1].name: Required value"],
  ],
  [
    "the same port under another protocol is another port",
    {
      ports: [
        { name: "a", port: 53 },
        { name: "b", port: 53, protocol: "UDP" },
      ],
    },
    [],
  ],
  [
    "node ports are not allowed for ClusterIP",
    { ports: [{ port: 80, nodePort: 30000 }] },
    ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
  ],
  [
    "a NodePort Service cannot be headless",
    { ...web, type: "NodePort", clusterIP: "None" },
    [
      'spec.clusterIPs[0]: Invalid value: "None": ' +
        "may not be set to 'None' for NodePort services",
    ],
  ],
  [
    "an ExternalName has no cluster IP",
    { type: "ExternalName", externalName: "a.b", clusterIP: "10.96.0.9" },
    ["spec.clusterIPs: Forbidden: may not be set for ExternalName services"],
  ],
  [
    "externalTrafficPolicy needs an externally accessible Service",
    { ...web, externalTrafficPolicy: "Local" },
    [
      'spec.externalTrafficPolicy: Invalid value: "Local": ' +
        "may only be set for externally-accessible services",
    ],
  ],
  [
    "an affinity lasts at most a day",
    {
      ...web,
      sessionAffinity: "ClientIP",
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 86401 } },
    },
    [
      "spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: " +
        "must be greater than 0 and less than 86400",
    ],
  ],
  [
    "source ranges need type LoadBalancer",
    { ...web, loadBalancerSourceRanges: [" 10.0.0.0/8 "] },
    [
      "spec.LoadBalancerSourceRanges: Forbidden: " +
        "may only be used when `type` is 'LoadBalancer'",
    ],
  ],
])("%s", (_, spec, expected) => {
  expect(problems(spec)).toEqual(expected);
});

test("the address of a Service may not change", () => {
  const old = at(web, "10.96.0.9");
  expect(changeProblems(old, { clusterIP: "10.96.0.10" })).toEqual([
    'spec.clusterIPs[0]: Invalid value: ["10.96.0.10"]: may not change once set',
  ]);
});

test("an update that leaves the address out keeps it", () => {
  const old = at(web, "10.96.0.9");
  const patch = { clusterIP: null, clusterIPs: null, ipFamilies: null, ipFamilyPolicy: null };
  expect(changeProblems(old, patch)).toEqual([]);
});

test("a Service that becomes an ExternalName loses its address", () => {
  const old = at(web, "10.96.0.9");
  const patch = { type: "ExternalName", externalName: "example.com" };
  expect(changeProblems(old, patch)).toEqual([]);
});

test("ports keep their node ports by name, unless another port asks for the number", () => {
  const ports = [
    { name: "a", port: 1, nodePort: 30001 },
    { name: "b", port: 2, nodePort: 30002 },
  ];
  const old = at({ type: "NodePort", ports }, "10.96.0.9");
  const next = draftOf(old);
  next.spec.ports = [
    { name: "a", port: 1 },
    { name: "b", port: 2 },
    { name: "c", port: 3, nodePort: 30002 },
  ];
  keepAllocated(next, old);
  expect(next.spec.ports.map((port) => port.nodePort)).toEqual([30001, undefined, 30002]);
});

test("fields without effect cause warnings", () => {
  const spec = { ...web, clusterIP: "None", sessionAffinity: "ClientIP", externalName: "a.b" };
  expect(serviceKind.rules.warningsOnCreate?.(service(spec))).toEqual([
    "spec.SessionAffinity is ignored for headless services",
    'spec.externalName is ignored when spec.type is not "ExternalName"',
  ]);
});

test.each([
  ["127.0.0.1", "may not be in the loopback range (127.0.0.0/8, ::1/128)"],
  ["0.0.0.0", "may not be unspecified (0.0.0.0)"],
  ["x", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"],
])("an external address %s: %s", (ip, problem) => {
  expect(problems({ ...web, externalIPs: [ip] })).toEqual([
    `spec.externalIPs[0]: Invalid value: "${ip}": ${problem}`,
  ]);
});

test("only a load balancer has an ingress, and loses it when it becomes something else", () => {
  const old = at({ ...web, type: "LoadBalancer" }, "10.96.0.9");
  const status = { loadBalancer: { ingress: [{ ip: "1.2.3.4", ipMode: "VIP" }] } };
  const balanced = { ...old, status };
  const next = patched<Service>(serviceKind, balanced, { spec: { type: "ClusterIP" } });
  serviceKind.rules.prepareForUpdate?.(next, balanced);
  expect(next.status).toEqual({ loadBalancer: {} });
  const found = serviceKind.rules.validateStatusUpdate?.({ ...next, status } as Service, next);
  expect(found?.map(formatFinding)).toEqual([
    "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'",
  ]);
});

test("healthCheckNodePort is immutable", () => {
  const local = { ...web, type: "LoadBalancer", externalTrafficPolicy: "Local" };
  const old = at({ ...local, healthCheckNodePort: 30001 }, "10.96.0.9");
  expect(changeProblems(old, { healthCheckNodePort: 30002 })).toEqual([
    "spec.healthCheckNodePort: Forbidden: field is immutable",
  ]);
});

test("an unknown type is the only finding", () => {
  expect(changeProblems(at(web, "10.96.0.9"), { type: "Magic" })).toEqual([
    'spec.type: Unsupported value: "Magic": ' +
      'supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
  ]);
});

test("a row shows the balancer's addresses before external IPs", () => {
  const made = at(
    { ...web, type: "LoadBalancer", externalIPs: ["9.9.9.9", "1.1.1.1"] },
    "10.0.0.1",
  );
  const ingress = [{ ip: "5.5.5.5" }, { hostname: "a.b" }, { ip: "2.2.2.2" }];
  const row = serviceKind.cells({ ...made, status: { loadBalancer: { ingress } } } as Service, NOW);
  expect(row[3]).toBe("2.2.2.2,5.5.5.5,a.b,9.9.9.9,1.1.1.1");
});

test("deprecated and non-canonical values cause warnings", () => {
  const spec = { ...web, trafficDistribution: "PreferClose", externalIPs: ["FD00::1"] };
  expect(serviceKind.rules.warningsOnCreate?.(service(spec))).toEqual([
    'spec.externalIPs[0]: IPv6 address "FD00::1" should be in RFC 5952 canonical format ' +
      '("fd00::1")',
    "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
    'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
  ]);
});

test.each<[Spec, string[]]>([
  [{ ipFamilies: ["IPv4", "IPv6"], ports: [{ port: 81 }] }, []],
  [{ ipFamilyPolicy: "SingleStack" }, []],
  [
    { ipFamilies: ["IPv4"] },
    [
      'spec.ipFamilyPolicy: Invalid value: "PreferDualStack": ' +
        "must be 'SingleStack' to release the secondary IP family",
    ],
  ],
  [
    { clusterIPs: ["None", "None"] },
    ['spec.clusterIPs: Invalid value: ["None","None"]: \'None\' must be the first and only value'],
  ],
])("a headless Service of both families that becomes %j", (change, expected) => {
  const old = service({ clusterIP: "None", ipFamilyPolicy: "PreferDualStack" });
  expect(changeProblems(old, change)).toEqual(expected);
});

test("changing clusterIP alone changes the list, which is immutable", () => {
  const old = at(web, "10.96.0.7");
  expect(changeProblems(old, { clusterIP: "10.96.0.8", clusterIPs: null })).toEqual([
    'spec.clusterIPs[0]: Invalid value: ["10.96.0.8"]: may not change once set',
  ]);
});

test("an unknown family causes no further findings", () => {
  expect(changeProblems(at(web, "10.96.0.7"), { ipFamilies: ["x"] })).toEqual([
    'spec.ipFamilies[0]: Unsupported value: "x": supported values: "IPv4", "IPv6"',
  ]);
});

test("a load balancer may have the port of the kubelet", () => {
  expect(problems({ type: "LoadBalancer", ports: [{ port: 10250 }] })).toEqual([]);
});

test("metadata is validated once on an update", () => {
  const old = at(web, "10.96.0.7");
  const next = patched<Service>(serviceKind, old, { metadata: { labels: { "a b": "c" } } });
  expect(serviceKind.rules.validateUpdate(next, old)).toHaveLength(1);
});

const DEPRECATED =
  "spec.externalIPs is deprecated and may no longer be implemented in some clusters";

test.each<[Spec, string[]]>([
  [{ ...web, externalIPs: ["1.2.3.4"] }, [DEPRECATED]],
  [
    { clusterIP: "None", externalIPs: ["1.2.3.4"], loadBalancerIP: "FD00::1" },
    [
      "spec.loadBalancerIP is ignored for headless services",
      "spec.externalIPs is ignored for headless services",
      'spec.loadBalancerIP: IPv6 address "FD00::1" should be in RFC 5952 canonical format ' +
        '("fd00::1")',
    ],
  ],
  [
    { type: "ExternalName", externalName: "a.b", externalIPs: ["1.2.3.4"] },
    ['spec.externalIPs is ignored when spec.type is "ExternalName"'],
  ],
])("ignored addresses do not also cause deprecation warnings: %j", (spec, expected) => {
  expect(serviceKind.rules.warningsOnCreate?.(service(spec))).toEqual(expected);
});
