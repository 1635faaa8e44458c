import { expect, test } from "vitest";
import type { Node, PodSpec } from "../../api/generated/core.ts";
import { type Budget, type Candidate, decidePreemption } from "./decide-preemption.ts";
import { needsOf } from "./needs.ts";
import { nodeFacts } from "./node-facts.ts";
import { type NodeRoom, Rooms } from "./rooms.ts";

function needs(cpu: string, priority: number) {
  const resources = { requests: { cpu } };
  return needsOf({ containers: [{ name: "c", resources }], priority } as unknown as PodSpec);
}

interface PodTraits {
  readonly cpu?: string;
  readonly priority?: number;
  readonly startMs?: number;
  readonly app?: string;
}

function aCandidate(name: string, traits: PodTraits = {}): Candidate {
  const { cpu = "1", priority = 0, startMs = 0, app = "x" } = traits;
  const key = `default/${name}`;
  const labels = { app };
  const own = { namespace: "default", name, labels, needs: needs(cpu, priority) };
  return { key, uid: name, startMs, ...own };
}

/** Nodes with two cores each and these pods on them. */
function world(byNode: { readonly [node: string]: readonly Candidate[] }) {
  const rooms = new Rooms();
  for (const [name, pods] of Object.entries(byNode)) {
    const allocatable = { cpu: "2", pods: "10" };
    const node = { metadata: { name }, spec: {}, status: { allocatable } };
    rooms.setNode(nodeFacts(node as unknown as Node));
    for (const { key, uid, needs: taken } of pods) {
      rooms.charge(key, { uid, node: name, needs: taken });
    }
  }
  return { rooms: rooms.nodes as readonly NodeRoom[], candidates: new Map(Object.entries(byNode)) };
}

const aBudget = (app: string, disruptionsAllowed: number, disrupted: readonly string[] = []) => {
  const covers = (labels: Candidate["labels"]) => labels["app"] === app;
  return { namespace: "default", covers, disruptionsAllowed, disrupted: new Set(disrupted) };
};

/** Returns "NODE: VICTIM …" for a pod with these needs, or why no pod is preempted for it. */
function chosen(
  byNode: { readonly [node: string]: readonly Candidate[] },
  cpu = "1",
  budgets: readonly Budget[] = [],
): string {
  const decision = decidePreemption({ needs: needs(cpu, 10), ...world(byNode), budgets });
  if (decision.kind === "none") return decision.message;
  return `${decision.node}: ${decision.victims.map(({ name }) => name).join(" ")}`;
}

const [low, mid] = [{ priority: 1 }, { priority: 5 }];

test.each<[string, string, string]>([
  ["the least important pod is preempted, and no more than needed", "1", "n: low"],
  ["if several are preempted, the more important one is listed first", "2", "n: mid low"],
])("%s", (_, cpu, expected) => {
  expect(chosen({ n: [aCandidate("low", low), aCandidate("mid", mid)] }, cpu)).toBe(expected);
});

test("within a priority, the pod that started last is preempted", () => {
  const pods = [aCandidate("old", { startMs: 1 }), aCandidate("new", { startMs: 2 })];
  expect(chosen({ n: pods })).toBe("n: new");
  expect(chosen({ n: pods.toReversed() })).toBe("n: new");
});

test("a small pod is kept if a large one must be preempted anyway", () => {
  const pods = [
    aCandidate("small", { cpu: "500m", ...low }),
    aCandidate("large", { cpu: "1500m" }),
  ];
  expect(chosen({ n: pods }, "1500m")).toBe("n: large");
});

test.each<[string, readonly Candidate[], string, string]>([
  [
    "without pods of lower priority",
    [],
    "3",
    "0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
  ],
  [
    "on a node that is too small even without them",
    [aCandidate("low", low)],
    "3",
    "0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
  ],
])("no pod is preempted %s", (_, pods, cpu, message) => {
  expect(chosen({ n: pods }, cpu)).toBe(message);
});

test("no pod is preempted if pods of the same priority leave no room", () => {
  const { rooms } = world({ n: [aCandidate("same", { cpu: "2", priority: 10 })] });
  const asked = { needs: needs("1", 10), rooms, budgets: [] };
  expect(decidePreemption({ ...asked, candidates: new Map() })).toEqual({
    kind: "none",
    message: "0/1 nodes are available: 1 No preemption victims found for incoming pod.",
  });
  const both = world({
    n: [aCandidate("same", { cpu: "1500m", priority: 10 }), aCandidate("low", { cpu: "500m" })],
  });
  const candidates = new Map([["n", [aCandidate("low", { cpu: "500m" })]]]);
  expect(decidePreemption({ ...asked, rooms: both.rooms, candidates })).toEqual({
    kind: "none",
    message: "0/1 nodes are available: 1 Insufficient cpu.",
  });
});

test("a budget is respected as long as another pod can be preempted", () => {
  const pods = [aCandidate("kept", { app: "k", ...low }), aCandidate("mid", mid)];
  expect(chosen({ n: pods }, "1", [aBudget("k", 0)])).toBe("n: mid");
  expect(chosen({ n: pods }, "1", [aBudget("k", 1)])).toBe("n: kept");
  expect(chosen({ n: pods }, "1", [aBudget("k", 0, ["kept"])])).toBe("n: kept");
  expect(chosen({ n: pods }, "2", [aBudget("k", 0)])).toBe("n: mid kept");
});

test.each<[string, { readonly [node: string]: readonly Candidate[] }, string]>([
  [
    "whose most important victim has the lowest priority",
    {
      a: [aCandidate("a", { cpu: "2", ...mid })],
      b: [aCandidate("b1", low), aCandidate("b2", low)],
    },
    "b: b1 b2",
  ],
  [
    "with the lowest sum of victim priorities",
    {
      a: [aCandidate("a1", mid), aCandidate("a2", mid)],
      b: [aCandidate("b1", mid), aCandidate("b2", low)],
    },
    "b: b1 b2",
  ],
  [
    "with the fewest victims, also for negative priorities",
    {
      a: [aCandidate("a1", { priority: -5 }), aCandidate("a2", { priority: -5 })],
      b: [aCandidate("b", { cpu: "2", priority: -5 })],
    },
    "b: b",
  ],
  [
    "whose victims started most recently",
    {
      a: [aCandidate("a", { cpu: "2", startMs: 1 })],
      b: [aCandidate("b", { cpu: "2", startMs: 2 })],
    },
    "b: b",
  ],
  [
    "that comes first, if all are equal",
    { a: [aCandidate("a", { cpu: "2" })], b: [aCandidate("b", { cpu: "2" })] },
    "a: a",
  ],
])("the chosen node is the one %s", (_, byNode, expected) => {
  expect(chosen(byNode, "2")).toBe(expected);
});

test("a node where a budget would be violated is chosen last", () => {
  const byNode = {
    a: [aCandidate("a", { cpu: "2", app: "k", ...low })],
    b: [aCandidate("b", { cpu: "2", ...mid })],
  };
  expect(chosen(byNode, "2")).toBe("a: a");
  expect(chosen(byNode, "2", [aBudget("k", 0)])).toBe("b: b");
});
