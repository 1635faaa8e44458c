import fc from "fast-check";
import { expect, test } from "vitest";
import {
  addIndex,
  countCommon,
  emptyIndexes,
  firstMissing,
  formatIndexes,
  hasIndex,
  type IndexSet,
  parseIndexes,
  removeIndex,
} from "./index-set.ts";

function setOf(indexes: Iterable<number>): IndexSet {
  const set = emptyIndexes();
  for (const index of indexes) addIndex(set, index);
  return set;
}

test.each([
  [[], ""],
  [[0], "0"],
  [[6, 7], "6,7"],
  [[1, 3, 4, 5, 7], "1,3-5,7"],
  [[2, 3, 4, 6, 7], "2-4,6,7"],
  [[31, 32, 33], "31-33"],
  [[32767, 32768], "32767,32768"],
])("%j is written as %j", (indexes, text) => {
  expect(formatIndexes(setOf(indexes))).toBe(text);
});

test.each([
  ["1,3-5,7", 10, "1,3-5,7"],
  ["1,2,3", 10, "1-3"],
  ["0-1", 10, "0,1"],
  ["1,x,3-y,4", 10, "1,4"],
  ["1-2-3,5", 10, "1,2,5"],
  ["3-9", 5, "3,4"],
  ["1,7,2", 5, "1"],
  ["5-3", 10, ""],
  ["-3", 10, ""],
])("%j of a Job of %d completions is read as %j", (text, completions, read) => {
  expect(formatIndexes(parseIndexes(text, completions))).toBe(read);
});

/** Near the borders of words and pages, where a mistake would be. */
const indexes = fc.uniqueArray(
  fc.oneof(fc.nat(100), fc.integer({ min: 32_700, max: 32_850 }), fc.nat(100_000)),
  { maxLength: 200 },
);

test("what is written is read back", () => {
  fc.assert(
    fc.property(indexes, (each) => {
      const text = formatIndexes(setOf(each));
      expect(formatIndexes(parseIndexes(text, 200_000))).toBe(text);
      expect(parseIndexes(text, 200_000).size).toBe(each.length);
    }),
  );
});

test("adding and removing agree with a set of numbers", () => {
  fc.assert(
    fc.property(indexes, indexes, (added, removed) => {
      const set = setOf(added);
      const model = new Set(added);
      for (const index of removed) expect(removeIndex(set, index)).toBe(model.delete(index));
      for (const index of [...added, ...removed]) {
        expect(hasIndex(set, index)).toBe(model.has(index));
      }
      expect(set.size).toBe(model.size);
      expect(formatIndexes(set)).toBe(formatIndexes(setOf([...model])));
    }),
  );
});

test("what two sets have in common is counted", () => {
  fc.assert(
    fc.property(indexes, indexes, (one, other) => {
      const common = one.filter((index) => other.includes(index)).length;
      expect(countCommon(setOf(one), setOf(other))).toBe(common);
    }),
  );
});

test("the first missing indexes are the lowest that no set has", () => {
  fc.assert(
    fc.property(indexes, indexes, fc.nat(40_000), fc.nat(50), (one, other, limit, count) => {
      const taken = new Set([...one, ...other]);
      const expected: number[] = [];
      for (let index = 0; index < limit && expected.length < count; index++) {
        if (!taken.has(index)) expected.push(index);
      }
      expect(firstMissing([setOf(one), setOf(other)], limit, count)).toEqual(expected);
    }),
    { numRuns: 30 },
  );
});

test("a full page can be emptied again", () => {
  const set = parseIndexes("0-99999", 100_000);
  expect(set.size).toBe(100_000);
  expect(firstMissing([set], 100_001, 2)).toEqual([100_000]);
  removeIndex(set, 40_000);
  expect(formatIndexes(set)).toBe("0-39999,40001-99999");
  expect(firstMissing([set], 100_000, 2)).toEqual([40_000]);
});

test("a million indexes take a hundred and some kilobytes, however they are scattered", () => {
  const set = emptyIndexes();
  for (let index = 0; index < 2_000_000; index += 2) addIndex(set, index);
  const bytes = [...set.pages.values()].reduce((sum, { words }) => sum + words.byteLength, 0);
  expect(set.size).toBe(1_000_000);
  expect(bytes).toBeLessThan(300_000);
});
