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
  ["a living owner and one that is gone", [here, gone], [disowns("y")]],
  ["a living owner and one that waits", [here, waits], [disowns("z")]],
  ["a living owner, one gone, one waiting", [waits, gone, here], [disowns("y", "z")]],
  ["only owners that are gone", [gone, gone], [deletes("Background")]],
  ["an owner that waits", [waits], [deletes("Background")]],
  ["owners gone and waiting", [gone, waits], [deletes("Background")]],
  ["an owner nobody can know", [unknowable], []],
  ["owners gone and one nobody can know", [gone, unknowable], []],
])("with %s", (_, owners, expected) => {
  expect(actions({ owners })).toEqual(expected);
});

const waiting: Node = { ...dependent, phase: "deletingDependents" };

test.each([
  ["and its owner waits, goes in the foreground", [waits], [dependent], deletes("Foreground")],
  [
    "and one of them waits already, blocks no more",
    [waits],
    [waiting],
    deletes("Foreground", true),
  ],
  ["and its owner is gone, goes in the background", [gone], [waiting], deletes("Background")],
])("who has dependents, %s", (_, owners, dependents, expected) => {
  expect(actions({ owners, dependents })).toEqual([expected]);
});

test.each([
  [["orphan"], "Orphan"],
  [["foregroundDeletion"], "Foreground"],
  [["orphan", "foregroundDeletion"], "Orphan"],
  [["example.com/hold"], "Background"],
])("who goes with finalizers %j goes as %s", (finalizers, policy) => {
  const held = { ...latest, metadata: { ...latest.metadata, finalizers } };
  expect(actions({ latest: held, owners: [gone] })).toEqual([deletes(policy)]);
});

test("who orphans is released after its dependents are", () => {
  const orphaning: Node = { ...node, phase: "orphaning" };
  expect(actions({ node: orphaning, dependents: [dependent] })).toEqual([
    { kind: "orphan", dependents: [dependent] },
    { kind: "release", finalizer: "orphan" },
  ]);
});

test("who waits for its dependents is released when none blocks it", () => {
  const release = { kind: "release", finalizer: "foregroundDeletion" };
  const blocked = { node: { ...node, phase: "deletingDependents" as const }, isBlocked: true };
  expect(actions(blocked)).toEqual([]);
  expect(actions({ ...blocked, isBlocked: false })).toEqual([release]);
});

test("an owner that is in another namespace is warned of", () => {
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

test("an owner that lives unseen is a reason to look again", () => {
  const { node: _unseen, ...unseen } = here;
  expect(actions({ owners: [unseen] })).toEqual([{ kind: "lookAgain" }]);
});
