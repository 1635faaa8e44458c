import { expect, test } from "vitest";
import type { Node, PodSpec } from "../../api/generated/core.ts";
import { decideNode } from "./decide.ts";
import { needsOf } from "./needs.ts";
import { nodeFacts } from "./node-facts.ts";
import { Rooms } from "./rooms.ts";

type Fields = { readonly [field: string]: unknown };

interface NodeFields {
  readonly labels?: { readonly [label: string]: string };
  readonly spec?: Fields;
  readonly status?: Fields;
}

/** A node with four cores, 8Gi and ten pods, unless the status overrides it. */
function aNode(name: string, { labels = {}, spec = {}, status = {} }: NodeFields = {}): Node {
  const allocatable = { cpu: "4", memory: "8Gi", pods: "10" };
  const body = { metadata: { name, labels }, spec, status: { allocatable, ...status } };
  return body as unknown as Node;
}

function aPod(spec: Fields = {}, requests: Fields = {}): PodSpec {
  const containers = [{ name: "c", image: "i", resources: { requests } }];
  return { containers, ...spec } as unknown as PodSpec;
}

interface Place {
  readonly nodes: readonly Node[];
  /** Which pods run on which node. */
  readonly running?: readonly (readonly [node: string, pod: PodSpec])[];
}

function roomsOf({ nodes, running = [] }: Place): Rooms {
  const rooms = new Rooms();
  for (const node of nodes) rooms.setNode(nodeFacts(node));
  for (const [at, [node, spec]] of running.entries()) {
    rooms.charge(`ns/p${at}`, { uid: `u${at}`, node, needs: needsOf(spec) });
  }
  return rooms;
}

function decided(pod: PodSpec, place: Place): string {
  const decision = decideNode(needsOf(pod), roomsOf(place).nodes);
  return decision.kind === "place" ? decision.node : decision.message;
}

const times = (count: number, node: string, pod: PodSpec) =>
  Array.from({ length: count }, () => [node, pod] as const);

const TAINT = { key: "k", value: "v", effect: "NoSchedule" };
const required = (...nodeSelectorTerms: Fields[]) => ({
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
  },
});
const expression = (key: string, operator: string, ...values: string[]) => ({
  matchExpressions: [{ key, operator, values }],
});
const UNWANTED = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.";
const TAINTED = "0/1 nodes are available: 1 node(s) had untolerated taint(s).";
const CORDONED = "0/1 nodes are available: 1 node(s) were unschedulable.";
const port = (hostPort: number, fields: Fields = {}) => ({
  containers: [
    { name: "c", image: "i", resources: {}, ports: [{ containerPort: 80, hostPort, ...fields }] },
  ],
});
const PORTS_TAKEN =
  "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.";

test.each<[string, PodSpec, Place, string]>([
  ["no nodes", aPod(), { nodes: [] }, "no nodes available to schedule pods"],
  ["a node with room", aPod({}, { cpu: "4", memory: "8Gi" }), { nodes: [aNode("n")] }, "n"],
  [
    "a pod that is too big",
    aPod({}, { cpu: "4001m", memory: "9Gi" }),
    { nodes: [aNode("n")] },
    "0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory.",
  ],
  [
    "a node that is half used",
    aPod({}, { cpu: "2500m" }),
    { nodes: [aNode("n")], running: [["n", aPod({}, { cpu: "2" })]] },
    "0/1 nodes are available: 1 Insufficient cpu.",
  ],
  [
    "a node with its maximum number of pods",
    aPod(),
    { nodes: [aNode("n")], running: times(10, "n", aPod()) },
    "0/1 nodes are available: 1 Too many pods.",
  ],
  [
    "a resource no node has",
    aPod({}, { "example.com/gpu": "1" }),
    { nodes: [aNode("n")] },
    "0/1 nodes are available: 1 Insufficient example.com/gpu.",
  ],
  [
    "a node that reports no capacity",
    aPod(),
    { nodes: [aNode("n", { status: { allocatable: {} } })] },
    "0/1 nodes are available: 1 Too many pods.",
  ],
  ["a cordoned node", aPod(), { nodes: [aNode("n", { spec: { unschedulable: true } })] }, CORDONED],
  [
    "a cordoned node and a pod that tolerates it",
    aPod({ tolerations: [{ key: "node.kubernetes.io/unschedulable", operator: "Exists" }] }),
    { nodes: [aNode("n", { spec: { unschedulable: true } })] },
    "n",
  ],
  ["a tainted node", aPod(), { nodes: [aNode("n", { spec: { taints: [TAINT] } })] }, TAINTED],
  [
    "a node that is not ready",
    aPod(),
    { nodes: [aNode("n", { status: { conditions: [{ type: "Ready", status: "False" }] } })] },
    TAINTED,
  ],
  [
    "an unreachable node",
    aPod(),
    { nodes: [aNode("n", { status: { conditions: [{ type: "Ready", status: "Unknown" }] } })] },
    TAINTED,
  ],
  ["a port that is free", aPod(port(80)), { nodes: [aNode("n")] }, "n"],
  [
    "a port that is taken",
    aPod(port(80)),
    { nodes: [aNode("n")], running: [["n", aPod(port(80, { hostIP: "10.0.0.1" }))]] },
    PORTS_TAKEN,
  ],
  [
    "a port that is taken on another address",
    aPod(port(80, { hostIP: "10.0.0.2" })),
    { nodes: [aNode("n")], running: [["n", aPod(port(80, { hostIP: "10.0.0.1" }))]] },
    "n",
  ],
  [
    "a port that is taken for another protocol",
    aPod(port(80, { protocol: "UDP" })),
    { nodes: [aNode("n")], running: [["n", aPod(port(80))]] },
    "n",
  ],
  [
    "several nodes, each with a different reason",
    aPod({}, { cpu: "5" }),
    {
      nodes: [
        aNode("a"),
        aNode("b"),
        aNode("c", { spec: { taints: [TAINT] } }),
        aNode("d", { spec: { unschedulable: true } }),
      ],
    },
    "0/4 nodes are available: 1 node(s) had untolerated taint(s), " +
      "1 node(s) were unschedulable, 2 Insufficient cpu.",
  ],
])("with %s", (_, pod, place, expected) => {
  expect(decided(pod, place)).toBe(expected);
});

test.each<[Fields, "NoSchedule" | "NoExecute", boolean]>([
  [{ key: "k", operator: "Equal", value: "v", effect: "NoSchedule" }, "NoSchedule", true],
  [{ key: "k", value: "v" }, "NoSchedule", true],
  [{ key: "k", operator: "Exists" }, "NoExecute", true],
  [{ operator: "Exists" }, "NoExecute", true],
  [{ key: "k", value: "w" }, "NoSchedule", false],
  [{ key: "l", operator: "Exists" }, "NoSchedule", false],
  [{ key: "k", operator: "Exists", effect: "NoExecute" }, "NoSchedule", false],
])("a pod that tolerates %j goes to a node tainted k=v:%s: %s", (toleration, effect, goes) => {
  const node = aNode("n", { spec: { taints: [{ ...TAINT, effect }] } });
  const pod = aPod({ tolerations: [toleration] });
  expect(decided(pod, { nodes: [node] })).toBe(goes ? "n" : TAINTED);
});

test.each<[Fields, boolean]>([
  [{ nodeSelector: { zone: "a" } }, true],
  [{ nodeSelector: { zone: "b" } }, false],
  [{ nodeSelector: { constructor: "a" } }, false],
  [required(expression("zone", "In", "a", "b")), true],
  [required(expression("zone", "In", "b"), expression("size", "Gt", "4")), true],
  [required(expression("size", "Gt", "5")), false],
  [required(expression("size", "Lt", "6")), true],
  [required(expression("zone", "NotIn", "a")), false],
  [required(expression("other", "NotIn", "a")), true],
  [required(expression("other", "Exists")), false],
  [required(expression("other", "DoesNotExist")), true],
  [required({ matchFields: [{ key: "metadata.name", operator: "In", values: ["n"] }] }), true],
  [required({ matchFields: [{ key: "metadata.name", operator: "In", values: ["m"] }] }), false],
  [required({}), false],
  [{ nodeSelector: { zone: "a" }, ...required(expression("zone", "In", "b")) }, false],
])("a pod with %j goes to the node in zone a of size 5: %s", (spec, goes) => {
  const node = aNode("n", { labels: { zone: "a", size: "5" } });
  expect(decided(aPod(spec), { nodes: [node] })).toBe(goes ? "n" : UNWANTED);
});

const soft = { ...TAINT, effect: "PreferNoSchedule" };
const wish = (weight: number, preference: Fields) => ({ weight, preference });
const wishing = (...wishes: Fields[]) => ({
  affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: wishes } },
});

test.each<[string, PodSpec, Place, string]>([
  [
    "the one with the most free resources",
    aPod(),
    { nodes: [aNode("a"), aNode("b")], running: [["a", aPod({}, { cpu: "1" })]] },
    "b",
  ],
  [
    "the one with fewer pods, if they have no requests",
    aPod(),
    { nodes: [aNode("a"), aNode("b")], running: [["a", aPod()]] },
    "b",
  ],
  ["the first of equals", aPod(), { nodes: [aNode("a"), aNode("b")] }, "a"],
  [
    "a preferred one, even if it has less free resources",
    aPod(wishing(wish(1, expression("disk", "In", "fast")))),
    {
      nodes: [aNode("a"), aNode("b", { labels: { disk: "fast" } })],
      running: [["b", aPod({}, { cpu: "3" })]],
    },
    "b",
  ],
  [
    "the one with the highest preference",
    aPod(
      wishing(wish(1, expression("disk", "In", "fast")), wish(9, expression("zone", "In", "z"))),
    ),
    { nodes: [aNode("a", { labels: { disk: "fast" } }), aNode("b", { labels: { zone: "z" } })] },
    "b",
  ],
  [
    "the one without a PreferNoSchedule taint",
    aPod(),
    {
      nodes: [aNode("a", { spec: { taints: [soft] } }), aNode("b")],
      running: [["b", aPod({}, { cpu: "3" })]],
    },
    "b",
  ],
  [
    "one with a PreferNoSchedule taint if there is no other",
    aPod({}, { cpu: "2" }),
    {
      nodes: [aNode("a", { spec: { taints: [soft] } }), aNode("b")],
      running: [["b", aPod({}, { cpu: "3" })]],
    },
    "a",
  ],
])("among several nodes a pod goes to %s", (_, pod, place, expected) => {
  expect(decided(pod, place)).toBe(expected);
});

test.each<[string, PodSpec, Place, boolean]>([
  ["that is larger than the node", aPod({}, { cpu: "5" }), { nodes: [aNode("n")] }, true],
  [
    "whose selector matches no node",
    aPod({ nodeSelector: { a: "b" } }),
    { nodes: [aNode("n")] },
    true,
  ],
  [
    "that waits for other pods to end",
    aPod({}, { cpu: "3" }),
    { nodes: [aNode("n")], running: [["n", aPod({}, { cpu: "3" })]] },
    false,
  ],
])("whether it is hopeless to preempt for a pod %s", (_, pod, place, isHopeless) => {
  expect(decideNode(needsOf(pod), roomsOf(place).nodes)).toMatchObject({ isHopeless });
});
