import fc from "fast-check";
import { expect, test } from "vitest";
import { addIndex, emptyIndexes, formatIndexes } from "../../api/index-set.ts";
import { isStillInOrder } from "./index-change.ts";
import { parseIndexes } from "./index-format.ts";

test.each([
  ["1,3-5,7", "1,3-5", 10, true],
  ["1,2,3-5", "1,3-5", 10, true],
  ["1-5", "1,3-5", 10, true],
  ["0,1,3-5", "1,3-5", 10, true],
  ["1,3-15", "1,3-5", 20, true],
  ["1,3-15", "1,3-5", 10, false],
  ["1,2-1,3", "1,3", 10, false],
  ["1,3,2", "1,3", 10, false],
  ["1,13,3", "1,3", 20, false],
  ["1,,3", "1,3", 10, false],
  ["1,3,", "1,3", 10, false],
])("%j, which was %j, is in order below %d: %j", (text, before, completions, isInOrder) => {
  expect(isStillInOrder(text, before, completions)).toBe(isInOrder);
});

/** Small numbers, often adjacent, as a text of indexes or almost one. */
const fragment = fc.oneof(
  fc.nat(30).map(String),
  fc.tuple(fc.nat(30), fc.nat(30)).map(([first, last]) => `${first}-${last}`),
  fc.constantFrom("", "x", "-", "1-2-3", "007"),
);

const indexes = fc.uniqueArray(fc.nat(40), { minLength: 1 });

function textOf(each: readonly number[]): string {
  const set = emptyIndexes();
  for (const index of each) addIndex(set, index);
  return formatIndexes(set);
}

test("a text found to be in order is in order when parsed as a whole", () => {
  const edit = fc.record({ at: fc.nat(40), removed: fc.nat(3), added: fc.array(fragment) });
  fc.assert(
    fc.property(
      indexes.map(textOf),
      edit,
      fc.nat(50),
      (before, { at, removed, added }, completions) => {
        const parts = before.split(",");
        parts.splice(at % (parts.length + 1), removed, ...added);
        const text = parts.join(",");
        if (!isStillInOrder(text, before, completions)) return;
        expect(parseIndexes(text, completions)).not.toHaveProperty("problem");
      },
    ),
    { numRuns: 5_000 },
  );
});

test("indexes added by an update are found to be in order without parsing the whole", () => {
  fc.assert(
    fc.property(indexes, indexes, (old, added) => {
      const [before, text] = [textOf(old), textOf([...old, ...added])];
      if (text !== before) expect(isStillInOrder(text, before, 50)).toBe(true);
    }),
  );
});
