import fc from "fast-check";
import { expect, test } from "vitest";
import { findOverlap, parseIndexes } from "./index-format.ts";

test.each([
  ["", 0],
  ["0", 1],
  ["0-1", 2],
  ["1,3-5,7", 5],
  ["0,1,2", 3],
  ["000", 1],
  ["+1", 1],
  ["0,+1-3,8", 5],
  ["0000000000000000000000007", 1],
])("%j names %d indexes", (text, count) => {
  expect(parseIndexes(text, 10)).toMatchObject({ count });
});

const TWO_PARTS =
  "violates the requirement that an index interval can have at most two parts separated by '-'";

test.each([
  ["10", 'too large index: "10"'],
  ["3-10", 'too large index: "10"'],
  ["a", 'cannot convert string to integer for index: "a"'],
  ["1,", 'cannot convert string to integer for index: ""'],
  ["-1", 'cannot convert string to integer for index: ""'],
  ["1-", 'cannot convert string to integer for index: ""'],
  [" 1", 'cannot convert string to integer for index: " 1"'],
  ["9223372036854775808", 'cannot convert string to integer for index: "9223372036854775808"'],
  ["1-2-3", `the fragment "1-2-3" ${TWO_PARTS}`],
  ["3,1", "non-increasing order, previous: 3, current: 1"],
  ["3,3", "non-increasing order, previous: 3, current: 3"],
  ["3-1", "non-increasing order, previous: 3, current: 1"],
  ["2-2", "non-increasing order, previous: 2, current: 2"],
  ["0-4,4-5", "non-increasing order, previous: 4, current: 4"],
  ["0-4,2-5", "non-increasing order, previous: 4, current: 2"],
  ["1-2,2", "non-increasing order, previous: 2, current: 2"],
  ["1--2", `the fragment "1--2" ${TWO_PARTS}`],
  ["1,,2", 'cannot convert string to integer for index: ""'],
  ["1;2", 'cannot convert string to integer for index: "1;2"'],
])("%j is rejected: %s", (text, problem) => {
  expect(parseIndexes(text, 10)).toEqual({ problem });
});

test.each([
  ["0-2,4", "2-3", 2],
  ["1,5-7", "0,6", 6],
  ["0-3", "4-9", undefined],
  ["", "1", undefined],
  ["x,2", "2", 2],
  ["2", "99,2", 2],
])("%j and %j overlap at %s", (one, other, index) => {
  expect(findOverlap(one, other, 10)).toBe(index);
  expect(findOverlap(other, one, 10)).toBe(index);
});

test("sets are parsed as they were formatted, and overlap where they share an index", () => {
  const indexes = fc.uniqueArray(fc.nat(49), { maxLength: 20 });
  fc.assert(
    fc.property(indexes, indexes, (left, right) => {
      const [one, other] = [left, right].map((list) => list.sort((a, b) => a - b));
      const shared = one?.find((index) => other?.includes(index));
      expect(parseIndexes(one?.join(",") ?? "", 50)).toMatchObject({ count: one?.length });
      expect(findOverlap(one?.join(",") ?? "", other?.join(",") ?? "", 50)).toBe(shared);
    }),
  );
});

test("a text with signs means the same as one without", () => {
  const fragment = fc.oneof(
    fc.nat(12).map(String),
    fc.tuple(fc.nat(12), fc.nat(12)).map((limits) => limits.join("-")),
    fc.constantFrom("", "-", "x", "1-2-3"),
  );
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 5 }), (fragments) => {
      const text = fragments.join(",");
      const signed = text.replace(/[0-9]+/g, "+$&");
      const read = parseIndexes(text, 10);
      const same = parseIndexes(signed, 10);
      if ("problem" in read) expect(JSON.stringify(same).replaceAll("+", "")).toBe(problemOf(read));
      else expect(same).toEqual(read);
    }),
  );
});

function problemOf(read: { readonly problem: string }): string {
  return JSON.stringify(read);
}
