import { expect, test } from "vitest";
import { configMapBody } from "../../../test/builders/resources.ts";
import { configMaps } from "../../api/resources.ts";
import { type Action, decide } from "./decide.ts";
import { type Node, nodeOf } from "./node.ts";
import type { Observation, ObservedOwner } from "./observe.ts";

const latest = configMapBody({ name: "a", uid: "a" });
const node = nodeOf(configMaps, latest);
const dependent: Node = { ...node, uid: "d", name: "d" };

function owner(uid: string, state: ObservedOwner["state"], known?: Partial<Node>): ObservedOwner {
  const reference = { apiVersion: "v1", kind: "ConfigMap", name: uid, uid };
  return { reference, state, node: { ...node, uid, name: uid, ...known } };
}

function actions(observation: Partial<Observation>): readonly Action[] {
  const nothing = { node, latest, owners: [], dependents: [], isBlocked: false };
  return decide({ ...nothing, ...observation });
}

const deletes = (policy: string, unblocks = false) => ({ kind: "delete", policy, unblocks });
const disowns = (...owners: string[]) => ({ kind: "disown", owners });

const [here, gone, waits] = [owner("x", "present"), owner("y", "absent"), owner("z", "waiting")];
const unknowable = owner("u", "unknowable");

test.each([
  ["no owner", [], []],
  ["a living owner", [here], []],
  ["a living owner and a missing one", [here, gone], [disowns("y")]],
  ["a living owner and a waiting one", [here, waits], [disowns("z")]],
  ["a living owner, a missing one and a waiting one", [waits, gone, here], [disowns("y", "z")]],
  ["only missing owners", [gone, gone], [deletes("Background")]],
  ["a waiting owner", [waits], [deletes("Background")]],
  ["missing and waiting owners", [gone, waits], [deletes("Background")]],
  ["an owner of an unknown kind", [unknowable], []],
  ["a missing owner and one of an unknown kind", [gone, unknowable], []],
])("with %s", (_, owners, expected) => {
  expect(actions({ owners })).toEqual(expected);
});

const waiting: Node = { ...dependent, phase: "deletingDependents" };

test.each([
  ["whose owner waits is deleted in the foreground", [waits], [dependent], deletes("Foreground")],
  [
    "one of which also waits no longer blocks its owners",
    [waits],
    [waiting],
    deletes("Foreground", true),
  ],
  ["whose owner is gone is deleted in the background", [gone], [waiting], deletes("Background")],
])("an object with dependents %s", (_, owners, dependents, expected) => {
  expect(actions({ owners, dependents })).toEqual([expected]);
});

test.each([
  [["orphan"], "Orphan"],
  [["foregroundDeletion"], "Foreground"],
  [["orphan", "foregroundDeletion"], "Orphan"],
  [["example.com/hold"], "Background"],
])("an object with finalizers %j is deleted with policy %s", (finalizers, policy) => {
  const held = { ...latest, metadata: { ...latest.metadata, finalizers } };
  expect(actions({ latest: held, owners: [gone] })).toEqual([deletes(policy)]);
});

test("an object deleted with Orphan is released after its dependents are orphaned", () => {
  const orphaning: Node = { ...node, phase: "orphaning" };
  expect(actions({ node: orphaning, dependents: [dependent] })).toEqual([
    { kind: "orphan", dependents: [dependent] },
    { kind: "release", finalizer: "orphan" },
  ]);
});

test("an object that waits for its dependents is released when none blocks it", () => {
  const release = { kind: "release", finalizer: "foregroundDeletion" };
  const blocked = { node: { ...node, phase: "deletingDependents" as const }, isBlocked: true };
  expect(actions(blocked)).toEqual([]);
  expect(actions({ ...blocked, isBlocked: false })).toEqual([release]);
});

test("an owner in another namespace causes a warning", () => {
  const elsewhere = owner("y", "absent", { namespace: "other" });
  expect(actions({ owners: [elsewhere, here] })).toEqual([
    {
      kind: "warn",
      reason: "OwnerRefInvalidNamespace",
      message:
        "ownerRef [v1/ConfigMap, namespace: default, name: y, uid: y] " +
        'does not exist in namespace "default"',
    },
    disowns("y"),
  ]);
});

test("an existing owner that no cache shows is checked again later", () => {
  const { node: _unseen, ...unseen } = here;
  expect(actions({ owners: [unseen] })).toEqual([{ kind: "lookAgain" }]);
});
