import fc from "fast-check";
import { expect, test } from "vitest";
import {
  addIndex,
  countCommon,
  emptyIndexes,
  firstExcept,
  firstMissing,
  formatIndexes,
  hasIndex,
  type IndexSet,
  nextIndex,
  nextMissing,
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

/** Indexes near the borders of words and pages, where mistakes are likely. */
const indexes = fc.uniqueArray(
  fc.oneof(fc.nat(100), fc.integer({ min: 32_700, max: 32_850 }), fc.nat(100_000)),
  { maxLength: 200 },
);

test("formatting and parsing are inverses", () => {
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

test("countCommon counts the indexes in both sets", () => {
  fc.assert(
    fc.property(indexes, indexes, (one, other) => {
      const common = one.filter((index) => other.includes(index)).length;
      expect(countCommon(setOf(one), setOf(other))).toBe(common);
    }),
  );
});

test("firstMissing returns the lowest indexes that no set contains", () => {
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

test("nextIndex and nextMissing iterate over a set and its complement", () => {
  const limits = fc.nat(70_000);
  fc.assert(
    fc.property(indexes, indexes, fc.nat(70_000), limits, (one, other, from, limit) => {
      const taken = new Set([...one, ...other]);
      const isAsked = (index: number) => index >= from && index < limit;
      const next = [...one].filter(isAsked).sort((a, b) => a - b)[0];
      expect(nextIndex(setOf(one), from, limit)).toBe(next);
      let missing = from;
      while (taken.has(missing)) missing++;
      const expected = missing < limit ? missing : undefined;
      expect(nextMissing([setOf(one), setOf(other)], from, limit)).toBe(expected);
    }),
  );
});

test("full and empty pages are skipped at once", () => {
  const full = parseIndexes("0-99999999", 100_000_001);
  expect(nextMissing([full], 5, 100_000_001)).toBe(100_000_000);
  expect(nextIndex(parseIndexes("7,99999999", 100_000_000), 8, 100_000_000)).toBe(99_999_999);
  expect(nextIndex(full, 100_000_000, 100_000_001)).toBeUndefined();
});

test("firstExcept returns the lowest indexes that no other set contains", () => {
  fc.assert(
    fc.property(indexes, indexes, indexes, fc.nat(50), (one, other, another, count) => {
      const without = new Set([...other, ...another]);
      const ordered = [...new Set(one)].sort((a, b) => a - b);
      const expected = ordered.filter((index) => !without.has(index)).slice(0, count);
      expect(firstExcept(setOf(one), [setOf(other), setOf(another)], count)).toEqual(expected);
    }),
  );
  const large = parseIndexes("0-99999", 100_000);
  expect(firstExcept(large, [parseIndexes("0-70000", 100_000)], 2)).toEqual([70_001, 70_002]);
});

test("a full page can be emptied again", () => {
  const set = parseIndexes("0-99999", 100_000);
  expect(set.size).toBe(100_000);
  expect(firstMissing([set], 100_001, 2)).toEqual([100_000]);
  removeIndex(set, 40_000);
  expect(formatIndexes(set)).toBe("0-39999,40001-99999");
  expect(firstMissing([set], 100_000, 2)).toEqual([40_000]);
});

test("a million indexes take little more than 100 KB, however they are scattered", () => {
  const set = emptyIndexes();
  for (let index = 0; index < 2_000_000; index += 2) addIndex(set, index);
  const bytes = [...set.pages.values()].reduce((sum, { words }) => sum + words.byteLength, 0);
  expect(set.size).toBe(1_000_000);
  expect(bytes).toBeLessThan(300_000);
});

test("formatting after each change gives the same text as formatting a new set", () => {
  const near = fc.oneof(
    fc.integer({ min: 1_015, max: 1_030 }),
    fc.integer({ min: 32_760, max: 32_775 }),
    fc.nat(70_000),
  );
  const change = fc.record({ index: near, isAdded: fc.boolean() });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const [set, indexes] = [setOf([]), new Set<number>()];
      for (const { index, isAdded } of changes) {
        if (isAdded) addIndex(set, index);
        else removeIndex(set, index);
        if (isAdded) indexes.add(index);
        else indexes.delete(index);
        expect(formatIndexes(set)).toBe(formatIndexes(setOf(indexes)));
      }
    }),
  );
});

test("after a change of one index only the text of its section is formatted again", () => {
  const set = setOf(Array.from({ length: 100_000 }, (_, at) => at * 2));
  const sections = () => [...set.pages.values()].flatMap((page) => page.sections);
  formatIndexes(set);
  const before = sections();
  addIndex(set, 77_777);
  formatIndexes(set);
  expect(sections().filter((section, at) => section !== before[at])).toHaveLength(1);
  expect(before.length).toBeGreaterThan(190);
});

test("the pages of a million indexes take little more than a bit per index", () => {
  const set = setOf(Array.from({ length: 1_000 }, (_, at) => at * 1_000));
  const bytes = [...set.pages.values()].reduce((sum, { words }) => sum + words.byteLength, 0);
  expect(bytes).toBeLessThan(1_000_000 / 7);
});

test("ranges are parsed in any order, overlapping and across pages", () => {
  const range = fc.tuple(fc.nat(100_000), fc.nat(40_000));
  fc.assert(
    fc.property(fc.array(range, { maxLength: 6 }), (ranges) => {
      const text = ranges.map(([first, more]) => `${first}-${first + more}`).join(",");
      const one = emptyIndexes();
      for (const [first, more] of ranges) {
        for (let index = first; index <= first + more; index++) addIndex(one, index);
      }
      const parsed = parseIndexes(text, 1_000_000);
      expect([parsed.size, formatIndexes(parsed)]).toEqual([one.size, formatIndexes(one)]);
    }),
    { numRuns: 30 },
  );
});
