import { expect, test } from "vitest";
import { created, patched } from "../../../test/builders/created.ts";
import { formatFinding } from "../../api/finding.ts";
import type { Node } from "../../api/generated/core.ts";
import type { Draft } from "../../api/object.ts";
import { nodeKind } from "./kind.ts";

const NOW = new Date("2024-01-01T00:01:00Z");
const meta = { metadata: { name: "n" } };

function node(body: Parameters<typeof created>[1]): Node {
  const made = created<Node>(nodeKind, { ...meta, ...body });
  delete made.metadata.namespace;
  return made;
}

test("allocatable defaults to capacity, and podCIDR is the first of podCIDRs", () => {
  const made = node({ status: { capacity: { cpu: "4" } }, spec: { podCIDR: "10.244.1.0/24" } });
  expect(made.status.allocatable).toEqual({ cpu: "4" });
  expect(made.spec.podCIDRs).toEqual(["10.244.1.0/24"]);
  expect(node({ spec: { podCIDRs: ["10.244.2.0/24"] } }).spec.podCIDR).toBe("10.244.2.0/24");
});

test.each([
  [{ spec: { taints: [{ key: "a", effect: "" }] } }, ["metadata.taints[0].effect: Required value"]],
  [
    { spec: { podCIDRs: ["10.0.0.0/24", "10.1.0.0/24"] } },
    [
      'spec.podCIDRs: Invalid value: ["10.0.0.0/24","10.1.0.0/24"]: ' +
        "may specify no more than one CIDR for each IP family",
    ],
  ],
  [{ spec: { podCIDRs: ["10.0.0.0/24", "fd00::/64"] } }, []],
  [
    { spec: { podCIDRs: ["10.0.0.0/24", "x"] } },
    [
      'spec.podCIDRs[1]: Invalid value: "x": ' +
        "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)",
      "spec.podCIDRs: Internal error: invalid PodCIDRs. " +
        "failed to check with dual stack with error:" +
        "invalid CIDR[1]: <nil> (invalid CIDR address: x)",
      'spec.podCIDRs: Invalid value: ["10.0.0.0/24","x"]: ' +
        "may specify no more than one CIDR for each IP family",
    ],
  ],
  [
    { status: { capacity: { pods: "1500m" }, allocatable: {} } },
    [
      'status.capacity.pods: Invalid value: "1500m": must be an integer',
      'status.allocatable.pods: Invalid value: "1500m": must be an integer',
    ],
  ],
])("a node with %j", (body, expected) => {
  expect(nodeKind.rules.validate(node(body)).map(formatFinding)).toEqual(expected);
});

test("a duplicate address is reported once", () => {
  const address = { type: "InternalIP", address: "10.0.0.1" };
  const old = node({});
  const next = patched<Node>(nodeKind, old, { status: { addresses: [address, address] } });
  const found = nodeKind.rules.validateStatusUpdate?.(next, old) ?? [];
  expect(found.map(formatFinding)).toEqual([
    'status.addresses[1]: Duplicate value: {"Type":"InternalIP","Address":"10.0.0.1"}',
  ]);
});

test("a row shows readiness, roles and addresses", () => {
  const made = node({
    metadata: { name: "n", labels: { "node-role.kubernetes.io/b": "", "kubernetes.io/role": "a" } },
    spec: { unschedulable: true },
    status: {
      conditions: [{ type: "Ready", status: "Unknown" }],
      addresses: [{ type: "InternalIP", address: "10.0.0.1" }],
      nodeInfo: { kernelVersion: "6.1", architecture: "arm64", kubeletVersion: "v1" },
    },
  });
  expect(nodeKind.cells(made, NOW)).toEqual([
    "n",
    "NotReady,SchedulingDisabled",
    "a,b",
    "<unknown>",
    "v1",
    "10.0.0.1",
    "<none>",
    "<unknown>",
    "6.1 (arm64)",
    "<unknown>",
  ]);
});

test("an external ID causes a warning", () => {
  expect(nodeKind.rules.warningsOnCreate?.(node({ spec: { externalID: "x" } }))).toEqual([
    "spec.externalID: this field is deprecated, and is unused by Kubernetes",
  ]);
});

test("amounts are rounded up to a thousandth, and configSource is dropped", () => {
  const made = node({
    status: { capacity: { cpu: "0.0005" }, allocatable: { cpu: "1.0001" }, config: { error: "e" } },
    spec: { configSource: { configMap: { name: "a", namespace: "b", kubeletConfigKey: "c" } } },
  });
  nodeKind.rules.prepareForCreate?.(made as Draft<Node>);
  expect(made.status).toMatchObject({ capacity: { cpu: "1m" }, allocatable: { cpu: "1001m" } });
  expect(made.spec).toEqual({});
  expect(made.status.config).toBeUndefined();
});
