import fc from "fast-check";
import { expect, test } from "vitest";
import { formatIndexes, hasIndex, parseIndexes } from "../api/index-set.ts";
import { fitResume, planResume, removedNames } from "./resume.ts";
import type { WorkList } from "./work-list.ts";

function listOf(...values: readonly string[]): WorkList {
  return { parameters: ["F"], columns: [values] };
}

function plan(before: WorkList, done: string, now: WorkList) {
  const former = { list: before, completed: parseIndexes(done, 1000) };
  const planned = planResume(former, now);
  return {
    completed: formatIndexes(planned.completed),
    added: planned.added,
    removed: removedNames(former, planned),
  };
}

test.each<[string, WorkList, string, WorkList, object]>([
  [
    "the same list",
    listOf("a", "b", "c"),
    "0,2",
    listOf("a", "b", "c"),
    { completed: "0,2", added: [], removed: [] },
  ],
  [
    "another order",
    listOf("a", "b", "c"),
    "0",
    listOf("c", "b", "a"),
    { completed: "2", added: [], removed: [] },
  ],
  [
    "more items",
    listOf("a", "b"),
    "0,1",
    listOf("x", "a", "b", "y"),
    { completed: "1,2", added: [0, 3], removed: [] },
  ],
  [
    "fewer items",
    listOf("a", "b", "c"),
    "0-2",
    listOf("b"),
    { completed: "0", added: [], removed: ["a", "c"] },
  ],
  [
    "an item that is there twice",
    listOf("a", "a"),
    "1",
    listOf("a", "b", "a"),
    { completed: "2", added: [1], removed: [] },
  ],
  [
    "one more of the same",
    listOf("a"),
    "0",
    listOf("a", "a"),
    { completed: "0", added: [1], removed: [] },
  ],
  [
    "one less of the same",
    listOf("a", "a", "a"),
    "0-2",
    listOf("a"),
    { completed: "0", added: [], removed: ["a", "a"] },
  ],
])("%s", (_, before, done, now, expected) => {
  expect(plan(before, done, now)).toEqual(expected);
});

test("columns may change places, and worked out ones do not count", () => {
  const before = {
    parameters: ["A", "B", "A_FIRST"],
    columns: [
      ["1", "2"],
      ["x", "y"],
      ["1", "2"],
    ],
    derived: ["A_FIRST"],
  };
  const now = {
    parameters: ["B", "A"],
    columns: [
      ["y", "x"],
      ["2", "1"],
    ],
  };
  expect(plan(before, "1", now)).toEqual({ completed: "0", added: [], removed: [] });
});

test("values are not run together", () => {
  const before = { parameters: ["A", "B"], columns: [["ab"], ["c"]] };
  const now = { parameters: ["A", "B"], columns: [["a"], ["bc"]] };
  expect(plan(before, "0", now)).toMatchObject({ completed: "", added: [0] });
});

test.each<[WorkList]>([
  [{ parameters: ["G"], columns: [["a"]] }],
  [{ parameters: ["F", "G"], columns: [["a"], ["b"]] }],
  [{ parameters: ["F"], columns: [["a"]], isBatched: true }],
])("items of other parameters are refused: %j", (now) => {
  expect(() => plan(listOf("a"), "0", now)).toThrow("what is done cannot be told");
});

test("an item is done exactly if the same occurrence of it was", () => {
  const values = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 8 });
  const occurrences = (list: readonly string[]) =>
    list.map((value, at) => `${value}${list.slice(0, at).filter((each) => each === value).length}`);
  fc.assert(
    fc.property(values, values, fc.array(fc.nat(7)), (before, now, done) => {
      const completed = parseIndexes([...done].sort().join(","), before.length);
      const former = { list: listOf(...before), completed };
      const planned = planResume(former, listOf(...now));
      const known = new Map(occurrences(before).map((name, at) => [name, at]));
      for (const [index, name] of occurrences(now).entries()) {
        const at = known.get(name);
        expect(hasIndex(planned.completed, index)).toBe(
          at !== undefined && hasIndex(completed, at),
        );
        expect(planned.added.includes(index)).toBe(at === undefined);
      }
      expect(planned.removed.length).toBe(before.length - (now.length - planned.added.length));
    }),
  );
});

test("what is done fits into an annotation, if need be in another order", () => {
  const few = { list: listOf("a", "b", "c"), completed: parseIndexes("0,2", 3) };
  expect(fitResume(few.list, few.completed)).toEqual(few);
  const count = 100_000;
  const values = Array.from({ length: count }, (_, index) => `${index}`);
  const even = parseIndexes(values.filter((_, index) => index % 2 === 0).join(","), count);
  const { list, completed } = fitResume(listOf(...values), even);
  expect(formatIndexes(completed)).toBe("0-49999");
  const [column = []] = list.columns;
  expect([column[0], column[49_999], column[50_000], column[99_999]]).toEqual([
    ...["0", "99998", "1", "99999"],
  ]);
  expect(new Set(column).size).toBe(count);
});
