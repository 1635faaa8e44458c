import fc from "fast-check";
import { expect, test } from "vitest";
import { editDistance } from "./edit-distance.ts";

test.each([
  ["", "", 0],
  ["", "abc", 3],
  ["FILE", "FILE", 0],
  ["FILES", "FILE", 1],
  ["FIL", "FILE", 1],
  ["FIXE", "FILE", 1],
  ["FLIE", "FILE", 1],
  ["EFIL", "FILE", 2],
  ["ba", "ab", 1],
  ["ca", "abc", 3],
  ["file", "FILE", 4],
])("%j and %j are %i edits apart", (one, other, distance) => {
  expect(editDistance(one, other)).toBe(distance);
});

test("the distance is the same in both directions, and 0 only between equal words", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
  fc.assert(
    fc.property(word, word, (one, other) => {
      const distance = editDistance(one, other);
      expect(editDistance(other, one)).toBe(distance);
      expect(distance === 0).toBe(one === other);
      expect(distance).toBeLessThanOrEqual(Math.max(one.length, other.length));
      expect(distance).toBeGreaterThanOrEqual(Math.abs(one.length - other.length));
    }),
  );
});
