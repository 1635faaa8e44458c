import fc from "fast-check";
import { expect, test } from "vitest";
import type { OwnerReference } from "../../api/generated/meta.ts";
import { configMaps } from "../../api/resources.ts";
import { DependencyGraph } from "./graph.ts";
import type { Node } from "./node.ts";
import type { Phase } from "./phase.ts";

const UIDS = ["a", "b", "c", "d", "e"];

function reference(uid: string, blockOwnerDeletion = false): OwnerReference {
  return { apiVersion: "v1", kind: "ConfigMap", name: uid, uid, blockOwnerDeletion };
}

function aNode(uid: string, owners: readonly OwnerReference[] = [], phase: Phase = "living"): Node {
  return { uid, type: configMaps, namespace: "default", name: uid, owners, phase };
}

const changes = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        uid: fc.constantFrom(...UIDS),
        owners: fc.array(fc.tuple(fc.constantFrom(...UIDS), fc.boolean()), { maxLength: 3 }),
        phase: fc.constantFrom<Phase>("living", "orphaning", "deletingDependents", "ending"),
      }),
    },
    { weight: 1, arbitrary: fc.record({ uid: fc.constantFrom(...UIDS) }) },
  ),
  { maxLength: 30 },
);

test("after any changes the graph equals one built from the current objects", () => {
  fc.assert(
    fc.property(changes, (each) => {
      const graph = new DependencyGraph();
      const nodes = new Map<string, Node>();
      for (const change of each) {
        if (!("owners" in change)) {
          graph.remove(change.uid);
          nodes.delete(change.uid);
          continue;
        }
        const owners = change.owners.map(([uid, blocks]) => reference(uid, blocks));
        const node = aNode(change.uid, owners, change.phase);
        graph.put(node);
        nodes.set(node.uid, node);
      }
      for (const uid of UIDS) {
        const dependents = [...nodes.values()].filter(({ owners }) =>
          owners.some((owner) => owner.uid === uid),
        );
        const isBlocked = dependents.some(({ owners }) =>
          owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion),
        );
        expect(
          graph
            .dependentsOf(uid)
            .map((node) => node.uid)
            .sort(),
        ).toEqual(dependents.map((node) => node.uid).sort());
        expect(graph.isBlocked(uid)).toBe(isBlocked);
      }
      expect([...graph.uids()].sort()).toEqual([...nodes.keys()].sort());
    }),
  );
});

test("an object whose owners exist needs no reconcile", () => {
  const graph = new DependencyGraph();
  graph.put(aNode("a"));
  expect([...graph.put(aNode("b", [reference("a")]))]).toEqual([]);
});

test("an object needs a reconcile until its owner appears", () => {
  const graph = new DependencyGraph();
  expect([...graph.put(aNode("b", [reference("a")]))]).toEqual(["b"]);
  expect([...graph.put(aNode("a"))]).toEqual([]);
});

test("a dependent whose reference does not match its owner needs a reconcile", () => {
  const graph = new DependencyGraph();
  graph.put(aNode("b", [{ ...reference("a"), name: "other" }]));
  graph.put(aNode("c", [reference("a")]));
  expect([...graph.put(aNode("a"))]).toEqual(["b"]);
});

test("a change of neither owners nor deletion needs no reconcile", () => {
  const graph = new DependencyGraph();
  graph.put(aNode("b", [reference("a")]));
  expect([...graph.put(aNode("b", [reference("a")]))]).toEqual([]);
});

test("an owner needs a reconcile only when its last blocking dependent is gone", () => {
  const graph = new DependencyGraph();
  graph.put(aNode("a"));
  for (const uid of ["b", "c"]) graph.put(aNode(uid, [reference("a", true)]));
  const waiting = graph.put(aNode("a", [], "deletingDependents"));
  expect([...waiting].sort()).toEqual(["b", "c"]);
  expect([...graph.remove("b")]).toEqual([]);
  expect([...graph.put(aNode("c", [reference("a")], "ending"))]).toEqual(["a"]);
});

test("removing an owner makes its dependents need a reconcile", () => {
  const graph = new DependencyGraph();
  graph.put(aNode("a"));
  graph.put(aNode("b", [reference("a")]));
  expect([...graph.remove("a")]).toEqual(["b"]);
});
