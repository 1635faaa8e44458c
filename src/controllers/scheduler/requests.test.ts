import { expect, test } from "vitest";
import type { PodSpec } from "../../api/generated/core.ts";
import { needsOf, SiblingNeeds } from "./needs.ts";
import { effectiveRequests } from "./requests.ts";

type Fields = { readonly [field: string]: unknown };

const container = (cpu: string, fields: Fields = {}) => ({
  name: "c",
  image: "i",
  resources: { requests: { cpu } },
  ...fields,
});
const sidecar = (cpu: string) => container(cpu, { restartPolicy: "Always" });
const asSpec = (spec: Fields) => spec as unknown as PodSpec;

test.each<[string, Fields, number]>([
  ["requests of containers are added", { containers: [container("1"), container("500m")] }, 1500],
  [
    "of init containers the largest counts",
    { containers: [container("1")], initContainers: [container("2"), container("3")] },
    3000,
  ],
  [
    "a sidecar is added to all others",
    { containers: [container("1")], initContainers: [sidecar("200m")] },
    1200,
  ],
  [
    "an init container is added to the sidecars before it",
    {
      containers: [container("1")],
      initContainers: [container("2"), sidecar("500m"), container("2"), sidecar("100m")],
    },
    2500,
  ],
  [
    "the overhead of the runtime is added",
    { containers: [container("1")], initContainers: [container("2")], overhead: { cpu: "250m" } },
    2250,
  ],
  [
    "requests of the pod replace those of its containers",
    { containers: [container("1")], resources: { requests: { cpu: "3" } }, overhead: { cpu: "1" } },
    4000,
  ],
  ["thousandths are rounded up", { containers: [container("1u")] }, 1],
])("%s", (_, spec, cpuMillis) => {
  expect(effectiveRequests(asSpec(spec))).toEqual([["cpu", cpuMillis]]);
});

test("requests of 0 are omitted", () => {
  const resources = { requests: { cpu: "0", memory: "1Ki", "example.com/gpu": "2" } };
  expect(effectiveRequests(asSpec({ containers: [{ name: "c", resources }] }))).toEqual([
    ["memory", 1024],
    ["example.com/gpu", 2],
  ]);
});

test("pods that share the parts of their spec share their needs; others do not", () => {
  const siblings = new SiblingNeeds();
  const spec = asSpec({ containers: [container("1")], nodeSelector: { a: "b" } });
  const needs = siblings.of(spec);
  expect(siblings.of({ ...spec, hostname: "other", nodeName: "n" })).toBe(needs);
  const elsewhere = siblings.of({ ...spec, nodeSelector: { a: "c" } });
  expect(elsewhere.signature).not.toBe(needs.signature);
  expect(needsOf(spec)).toEqual(needs);
});

test("host ports of init containers do not count, those of sidecars do", () => {
  const ports = [{ containerPort: 1, hostPort: 1 }, { containerPort: 2 }];
  const spec = asSpec({
    containers: [container("1", { ports })],
    initContainers: [
      container("1", { ports: [{ containerPort: 3, hostPort: 3 }] }),
      container("1", {
        restartPolicy: "Always",
        ports: [{ containerPort: 4, hostPort: 4, hostIP: "10.0.0.1", protocol: "UDP" }],
      }),
    ],
  });
  expect(needsOf(spec).hostPorts).toEqual([
    { ip: "0.0.0.0", protocol: "TCP", port: 1 },
    { ip: "10.0.0.1", protocol: "UDP", port: 4 },
  ]);
});
