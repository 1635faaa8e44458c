import fc from "fast-check";
import { expect, test } from "vitest";
import { isEqual } from "./equal.ts";
import { draftOf } from "./object.ts";

test.each([
  [{ a: 1 }, { a: 1 }, true],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
  [{ a: [] }, {}, true],
  [{ a: null }, {}, true],
  [{}, { a: [] }, true],
  [{ a: {} }, {}, false],
  [{ a: 0 }, {}, false],
  [{ a: "" }, {}, false],
  [[1, 2], [2, 1], false],
  [[1], [1, 2], false],
  [[1], { 0: 1 }, false],
  ["1", 1, false],
])("%j and %j: %s", (one, other, expected) => {
  expect(isEqual(one, other)).toBe(expected);
  expect(isEqual(other, one)).toBe(expected);
});

test("a copy is equal, also after adding empty fields", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      expect(isEqual(value, draftOf(value))).toBe(true);
      expect(isEqual(value, { ...value, "added, but empty": [] })).toBe(true);
      expect(isEqual(value, { ...value, "added key": "value" })).toBe(false);
    }),
  );
});
