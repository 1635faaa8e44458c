import fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "../../api/object.ts";
import { isObject, type JsonObject } from "./go-value.ts";
import { mergePatch } from "./merge-patch.ts";

test.each<[JsonObject, JsonObject, JsonObject]>([
  [{ a: 1 }, {}, { a: 1 }],
  [{ a: 1 }, { a: 2, b: 3 }, { a: 2, b: 3 }],
  [{ a: 1, b: 2 }, { a: null }, { b: 2 }],
  [{ a: { b: 1, c: 2 } }, { a: { b: null } }, { a: { c: 2 } }],
  [{ a: [1, 2] }, { a: [3] }, { a: [3] }],
  [{ a: { b: 1 } }, { a: [1] }, { a: [1] }],
  [{ a: "x" }, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
  [{}, { a: { b: { c: null } } }, { a: { b: {} } }],
  [{}, { a: [{ b: null }, null] }, { a: [{}, null] }],
  [{ a: null }, { a: { b: null } }, { a: {} }],
])("%j merged with %j is %j", (document, patch, merged) => {
  expect(mergePatch(document, patch)).toEqual(merged);
});

test("neither the document nor the patch is modified", () => {
  const document = { a: { b: 1 } };
  const patch = { a: { b: null } };
  mergePatch(document, patch);
  expect([document, patch]).toEqual([{ a: { b: 1 } }, { a: { b: null } }]);
});

const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean());
const { object } = fc.letrec<{ object: JsonObject; value: Json }>((tie) => ({
  object: fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), { maxKeys: 3 }),
  value: fc.oneof(
    { depthSize: "small" },
    scalar,
    fc.array(scalar, { maxLength: 3 }),
    tie("object"),
  ),
}));

test("merging the difference of two documents into the first gives the second", () => {
  fc.assert(
    fc.property(object, object, (from, to) => {
      expect(mergePatch(from, difference(from, to))).toEqual(to);
    }),
  );
});

test("merging a patch twice equals merging it once", () => {
  fc.assert(
    fc.property(object, object, (document, patch) => {
      const once = mergePatch(document, patch);
      expect(mergePatch(once, patch)).toEqual(once);
    }),
  );
});

function difference(from: JsonObject, to: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const key of Object.keys(from)) if (!(key in to)) patch[key] = null;
  for (const [key, value] of Object.entries(to)) {
    const old = from[key];
    patch[key] = isObject(old) && isObject(value) ? difference(old, value) : value;
  }
  return patch;
}
