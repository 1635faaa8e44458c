import fc from "fast-check";
import { expect, test } from "vitest";
import { addIndex, emptyIndexes, formatIndexes } from "../../api/index-set.ts";
import { findOverlap } from "./index-format.ts";
import { findShared } from "./index-overlap.ts";

function textOf(indexes: Iterable<number>): string {
  const set = emptyIndexes();
  for (const index of indexes) addIndex(set, index);
  return formatIndexes(set);
}

test("searching finds the same index as parsing", () => {
  const many = fc.uniqueArray(fc.nat(2_000), { minLength: 300, maxLength: 900, size: "max" });
  const few = fc.uniqueArray(fc.nat(2_000), { maxLength: 4 });
  fc.assert(
    fc.property(many, few, (long, short) => {
      const [one, other] = [textOf(long), textOf(short)];
      const read = findOverlap(one, other, 3_000);
      expect(findShared(one, other, 3_000)).toBe(read);
      expect(findShared(other, one, 3_000)).toBe(read);
    }),
  );
});

test("ranges of the long text are found by any of their indexes", () => {
  const long = `0,2-9,${Array.from({ length: 300 }, (_, at) => 20 + at * 2).join(",")}`;
  expect(findShared(long, "1,5", 1_000)).toBe(5);
  expect(findShared(long, "1,9", 1_000)).toBe(9);
  expect(findShared(long, "1,8-11", 1_000)).toBe(8);
  expect(findShared(long, "1,10-19", 1_000)).toBe(undefined);
});
