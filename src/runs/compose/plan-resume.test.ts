import fc from "fast-check";
import { expect, test } from "vitest";
import { formatIndexes, hasIndex, parseIndexes } from "../../api/index-set.ts";
import { formerIndexes } from "../../api/work-list/item-history.ts";
import { NO_PAST } from "../../api/work-list/stored-list.ts";
import type { WorkList } from "../../api/work-list/work-list.ts";
import { type FormerRun, planResume } from "./plan-resume.ts";

function listOf(...values: readonly string[]): WorkList {
  return { parameters: ["F"], columns: [values] };
}

function plan(before: WorkList, done: string, now: WorkList) {
  const { completed, added, removed } = planResume(aFormer(before, done), now);
  return { completed: formatIndexes(completed), added, removed };
}

function aFormer(list: WorkList, done: string, uid = "former"): FormerRun {
  const completed = parseIndexes(done, 1000);
  return { list, past: NO_PAST, completed, jobs: [{ name: "run", uid }] };
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

test("the order of columns and computed columns do not matter", () => {
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

test("values of different columns are not concatenated", () => {
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

test("an item is done if and only if the same occurrence of it was done", () => {
  const values = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 8 });
  const occurrences = (list: readonly string[]) =>
    list.map((value, at) => `${value}${list.slice(0, at).filter((each) => each === value).length}`);
  fc.assert(
    fc.property(values, values, fc.array(fc.nat(7)), (before, now, done) => {
      const completed = parseIndexes([...done].sort().join(","), before.length);
      const former = { ...aFormer(listOf(...before), ""), completed };
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

/** A story of resumes, each with a list and what succeeded of it; the last plan. */
function resumed(...steps: readonly (readonly [values: string, done: string])[]) {
  let former = aFormer(listOf(), "", "none");
  const plans = steps.map(([values, done], step) => {
    const list = listOf(...values);
    const planned = planResume(former, list);
    const completed = parseIndexes(done, list.columns[0]?.length ?? 0);
    former = { list, past: planned.past, completed, jobs: [{ name: "run", uid: `job-${step}` }] };
    return planned;
  });
  const last = plans.at(-1);
  if (!last) throw new Error("no steps");
  const chain = (row: number) =>
    formerIndexes(last.past.history, row)
      .filter(({ uid }) => uid !== "none")
      .map(({ uid, index }) => `${uid}/${index}`);
  return { completed: formatIndexes(last.completed), chain };
}

test("an item has the chain of the indexes it had, over any number of resumes", () => {
  const { chain } = resumed(["ab", "0"], ["bac", "1"], ["xcab", ""]);
  expect([0, 1, 2, 3].map(chain)).toEqual([
    [],
    ["job-1/2"],
    ["job-0/0", "job-1/1"],
    ["job-0/1", "job-1/0"],
  ]);
});

test("an item that was removed is still done when it returns, with its history", () => {
  const { completed, chain } = resumed(["abc", "0-2"], ["b", "0"], ["cb", "1"], ["abc", ""]);
  expect(completed).toBe("0,1");
  expect(chain(0)).toEqual(["job-0/0", "job-1/1", "job-2/2"]);
});

test("of equal items the removed ones are matched when they return", () => {
  const { completed } = resumed(["aaa", "1"], ["a", ""], ["aaa", ""]);
  expect(completed).toBe("1");
});

test("items that moved together share a range", () => {
  const values = Array.from({ length: 1000 }, (_, index) => `${index}`);
  const planned = planResume(aFormer(listOf(...values), ""), listOf("new", ...values));
  expect(planned.past.history.ranges).toEqual([
    { from: 1, to: 1000, links: [{ job: 0, start: 0 }] },
  ]);
});

test("a list with items added at the end has not moved", () => {
  const moved = (now: string) => planResume(aFormer(listOf("a", "b"), ""), listOf(...now)).isMoved;
  expect(["ab", "abc", "ba", "a", "xab"].map(moved)).toEqual([false, false, true, true, true]);
});
