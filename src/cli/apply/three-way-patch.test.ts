import fc from "fast-check";
import { expect, test } from "vitest";
import { threeWayPatch } from "./three-way-patch.ts";

const POD = "core/v1.Pod";

function patchOf(original: unknown, modified: unknown, current: unknown, message = POD) {
  return threeWayPatch({ original, modified, current }, message);
}

test("what was applied and is gone is removed, what others set stays", () => {
  const original = { spec: { nodeName: "n", hostname: "h" } };
  const modified = { spec: { hostname: "i" } };
  const current = { spec: { nodeName: "n", hostname: "h", priority: 1 } };
  expect(patchOf(original, modified, current)).toEqual({
    spec: { nodeName: null, hostname: "i" },
  });
});

test("lists with keys are merged item by item and keep their order", () => {
  const containers = (...images: readonly (readonly [string, string])[]) => ({
    spec: { containers: images.map(([name, image]) => ({ name, image })) },
  });
  const original = containers(["a", "1"], ["b", "1"]);
  const current = containers(["a", "1"], ["b", "1"], ["injected", "1"]);
  expect(patchOf(original, containers(["c", "1"], ["a", "2"]), current)).toEqual({
    spec: {
      "$setElementOrder/containers": [{ name: "c" }, { name: "a" }],
      containers: [
        { name: "c", image: "1" },
        { name: "a", image: "2" },
        { name: "b", $patch: "delete" },
      ],
    },
  });
});

test("lists of texts name what is added and what is taken away", () => {
  const finalizers = (...names: readonly string[]) => ({ metadata: { finalizers: names } });
  const patch = patchOf(finalizers("a", "b"), finalizers("b", "c"), finalizers("a", "b", "other"));
  expect(patch).toEqual({
    metadata: {
      "$setElementOrder/finalizers": ["b", "c"],
      finalizers: ["c"],
      "$deleteFromPrimitiveList/finalizers": ["a"],
    },
  });
});

test("of fields that exclude each other the ones that are not named go", () => {
  const volume = (source: object) => ({ spec: { volumes: [{ name: "v", ...source }] } });
  const patch = patchOf(
    volume({ emptyDir: {} }),
    volume({ hostPath: { path: "/x" } }),
    volume({ emptyDir: {} }),
  );
  expect(patch).toMatchObject({
    spec: { volumes: [{ name: "v", emptyDir: null, $retainKeys: ["hostPath", "name"] }] },
  });
});

test("a kind that is not known has its lists replaced", () => {
  expect(threeWayPatch({ original: {}, modified: { a: [1] }, current: { a: [2, 3] } })).toEqual({
    a: [1],
  });
});

test("an object that is as its manifest says is left alone, whoever added what", () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  const fields = fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), value);
  fc.assert(
    fc.property(fields, fields, (modified, others) => {
      const current = { ...others, ...modified };
      expect(threeWayPatch({ original: modified, modified, current })).toEqual({});
    }),
  );
});
