import fc from "fast-check";
import { expect, test } from "vitest";
import { draftOf, type Json } from "../../api/object.ts";
import type { JsonObject } from "./go-value.ts";
import { strategicMerge } from "./strategic-merge.ts";

function merge(original: JsonObject, patch: JsonObject, type: string): JsonObject {
  return strategicMerge(draftOf(original) as JsonObject, draftOf(patch) as JsonObject, type);
}

test.each<[string, JsonObject, JsonObject, JsonObject]>([
  ["a key set to null is removed", { a: "1", b: "2" }, { a: null, c: "3" }, { b: "2", c: "3" }],
  ["$patch replace takes the patch", { a: "1" }, { $patch: "replace", b: "2" }, { b: "2" }],
  ["$patch delete leaves nothing", { a: "1" }, { $patch: "delete" }, {}],
])("map: %s", (_, original, patch, merged) => {
  expect(merge({ data: original }, { data: patch }, "core/v1.ConfigMap")).toEqual({ data: merged });
});

const named = (...names: string[]): Json[] => names.map((name) => ({ name }));

test.each<[string, Json[], JsonObject, Json[]]>([
  [
    "elements with the same key are merged",
    [{ name: "c", image: "1" }, ...named("d")],
    { containers: [{ name: "c", tty: true }] },
    [{ name: "c", image: "1", tty: true }, ...named("d")],
  ],
  [
    "a new element precedes untouched ones",
    named("a", "b"),
    { containers: named("n") },
    named("n", "a", "b"),
  ],
  [
    "server elements keep their place before patched ones they preceded",
    named("a", "b", "c"),
    { containers: named("b", "n") },
    named("a", "b", "n", "c"),
  ],
  [
    "elements of the patch keep its order",
    named("a", "b"),
    { containers: named("b", "a") },
    named("b", "a"),
  ],
  [
    "$setElementOrder orders without a list",
    named("a", "b", "c"),
    { "$setElementOrder/containers": named("c", "a", "b") },
    named("c", "a", "b"),
  ],
  [
    "$setElementOrder orders the merged list",
    named("c", "d"),
    { "$setElementOrder/containers": named("d", "c"), containers: [{ name: "d", image: "2" }] },
    [{ name: "d", image: "2" }, { name: "c" }],
  ],
  [
    "$patch delete drops by key",
    named("a", "b"),
    { containers: [{ $patch: "delete", name: "a" }] },
    named("b"),
  ],
  [
    "$patch replace removes the rest",
    named("a", "b"),
    { containers: [{ $patch: "replace" }, { name: "z" }] },
    named("z"),
  ],
])("list by key: %s", (_, containers, patch, merged) => {
  expect(merge({ containers }, patch, "core/v1.PodSpec")).toEqual({ containers: merged });
});

test.each<[string, Json[], JsonObject, Json[]]>([
  ["scalars merge as a set", ["a"], { finalizers: ["b", "a", "b"] }, ["b", "a"]],
  ["new scalars come first", ["a"], { finalizers: ["b"] }, ["b", "a"]],
  ["$deleteFromPrimitiveList", ["a", "b"], { "$deleteFromPrimitiveList/finalizers": ["a"] }, ["b"]],
  [
    "$setElementOrder of scalars",
    ["a", "b"],
    { "$setElementOrder/finalizers": ["c", "b", "a"], finalizers: ["c"] },
    ["c", "b", "a"],
  ],
])("list of scalars: %s", (_, finalizers, patch, merged) => {
  expect(merge({ finalizers }, patch, "meta/v1.ObjectMeta")).toEqual({ finalizers: merged });
});

test.each<[string, string, JsonObject, JsonObject, JsonObject]>([
  [
    "lists without strategy are replaced",
    "core/v1.PodSpec",
    { tolerations: [{ key: "a" }] },
    { tolerations: [{ key: "b" }] },
    { tolerations: [{ key: "b" }] },
  ],
  [
    "objects with the replace strategy are replaced",
    "policy/v1.PodDisruptionBudgetSpec",
    { selector: { matchLabels: { a: "1" } } },
    { selector: { matchLabels: { b: "1" } } },
    { selector: { matchLabels: { b: "1" } } },
  ],
  [
    "$retainKeys removes all other keys",
    "core/v1.PodSpec",
    { volumes: [{ name: "v", configMap: { name: "c" } }] },
    { volumes: [{ name: "v", $retainKeys: ["name", "emptyDir"], emptyDir: {} }] },
    { volumes: [{ name: "v", emptyDir: {} }] },
  ],
  [
    "nulls and directives about absent fields are dropped",
    "core/v1.PodSpec",
    {},
    { affinity: { $patch: "delete" }, securityContext: { runAsUser: null, fsGroup: 1 } },
    { securityContext: { fsGroup: 1 } },
  ],
  [
    "a value of another kind replaces the old one",
    "core/v1.ServicePort",
    { targetPort: 80 },
    { targetPort: "http" },
    { targetPort: "http" },
  ],
])("%s", (_, type, original, patch, merged) => {
  expect(merge(original, patch, type)).toEqual(merged);
});

test.each<[string, JsonObject, JsonObject, string]>([
  [
    "meta/v1.ObjectMeta",
    { ownerReferences: [{ uid: "1" }] },
    { ownerReferences: [{ kind: "Pod", name: "n" }] },
    "map: map[kind:Pod name:n] does not contain declared merge key: uid",
  ],
  [
    "core/v1.ConfigMap",
    { data: { a: "1" } },
    { data: { $patch: "bogus" } },
    "unknown patch type: bogus in map: map[$patch:bogus]",
  ],
  [
    "core/v1.PodSpec",
    { containers: named("a") },
    { containers: [{ $patch: "bogus" }] },
    "unknown patch type: bogus in map: map[$patch:bogus]",
  ],
  [
    "core/v1.PodSpec",
    { containers: named("a") },
    { containers: [{ $patch: "merge" }] },
    "merging lists cannot yet be specified in the patch",
  ],
  [
    "core/v1.PodSpec",
    { containers: named("a") },
    { containers: ["x"] },
    "list element types are not identical: [[map[name:a]] [x]]",
  ],
  [
    "core/v1.PodSpec",
    { containers: named("a") },
    { "$setElementOrder/containers": named("a"), containers: named("b") },
    "The order in patch list:\n[map[name:b]]\n " +
      "doesn't match $setElementOrder list:\n[map[name:a]]\n",
  ],
  [
    "meta/v1.ObjectMeta",
    {},
    { "$setElementOrder/nope": ["a"] },
    'unable to find api field in struct ObjectMeta for the json field "nope"',
  ],
  [
    "meta/v1.ObjectMeta",
    {},
    { "$setElementOrder/finalizers": "a" },
    "expected a []interface {}, but received a string",
  ],
  [
    "meta/v1.ObjectMeta",
    {},
    { $setElementOrder: [] },
    "invalid patch format of setElementOrder list",
  ],
  [
    "meta/v1.ObjectMeta",
    {},
    { $deleteFromPrimitiveList: [] },
    "invalid patch format of primitive list",
  ],
  ["core/v1.Volume", {}, { $retainKeys: "name" }, "invalid patch format of retainKeys"],
  ["core/v1.Volume", {}, { $retainKeys: ["name"], nfs: {} }, "invalid patch format of retainKeys"],
])("for %s %j the patch %j is rejected", (type, original, patch, message) => {
  expect(() => merge(original, patch, type)).toThrow(message);
});

const name: fc.Arbitrary<string> = fc.constantFrom("a", "b", "c", "d", "e");
const names = fc.uniqueArray(name);
const container = fc.record({ name, image: fc.string() });
const containers = fc.uniqueArray(container, { selector: (each) => each.name });

const metadata = fc.record({
  labels: fc.dictionary(name, fc.string()),
  finalizers: names,
  ownerReferences: fc.uniqueArray(fc.record({ uid: name, name }), { selector: ({ uid }) => uid }),
});

const pod: fc.Arbitrary<JsonObject> = fc.record({
  metadata,
  spec: fc.record({ containers, nodeSelector: fc.dictionary(name, fc.string()) }),
});

test("merging an object with itself changes nothing", () => {
  fc.assert(
    fc.property(pod, (object) => {
      expect(merge(object, object, "core/v1.Pod")).toEqual(object);
    }),
  );
});

test("$setElementOrder with a permutation orders the list accordingly", () => {
  const shuffled = fc
    .uniqueArray(container, { selector: (each) => each.name, minLength: 1 })
    .chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
  fc.assert(
    fc.property(shuffled, ([list, order]) => {
      const patch = { "$setElementOrder/containers": order.map((each) => ({ name: each.name })) };
      expect(merge({ containers: list }, patch, "core/v1.PodSpec")).toEqual({ containers: order });
    }),
  );
});

test("a merged list has every element once, those of the patch in its order", () => {
  fc.assert(
    fc.property(names, names, (server, patch) => {
      fc.pre(server.length > 0);
      const original = { finalizers: server };
      const { finalizers } = merge(original, { finalizers: patch }, "meta/v1.ObjectMeta");
      const merged = finalizers as string[];
      expect([...merged].sort()).toEqual([...new Set([...server, ...patch])].sort());
      expect(merged.filter((each) => patch.includes(each))).toEqual(patch);
      const untouched = server.filter((each) => !patch.includes(each));
      expect(merged.filter((each) => !patch.includes(each))).toEqual(untouched);
    }),
  );
});
