import fc from "fast-check";
import { expect, test } from "vitest";
import { InOrder } from "./in-order.ts";

/** A list of which some items ended before, some never end, and the others end in any order. */
const runs = fc.integer({ min: 1, max: 30 }).chain((items) => {
  const indexes = Array.from({ length: items }, (_, index) => index);
  const fates = fc.array(fc.constantFrom("ends", "ends", "before", "unheard", "never"), {
    minLength: items,
    maxLength: items,
  });
  const order = fc.shuffledSubarray(indexes, { minLength: items, maxLength: items });
  return fc.record({ fates, order });
});

test("items that end in any order are shown in the order of the list", () => {
  fc.assert(
    fc.property(runs, ({ fates, order }) => {
      // As a run keeps its book: an index is settled there before it is added here.
      const settled = new Set(fates.flatMap((fate, index) => (fate === "before" ? [index] : [])));
      const ordered = new InOrder<number>((index) => settled.has(index));
      const shown: number[] = [];
      for (const index of order) {
        if (fates[index] === "ends" || fates[index] === "unheard") settled.add(index);
        if (fates[index] === "ends") shown.push(...ordered.add(index, index));
      }
      const held = ordered.rest();
      const ended = fates.flatMap((fate, index) => (fate === "ends" ? [index] : []));
      expect([...shown, ...held]).toEqual(ended);
    }),
  );
});

test("an item is shown as soon as all items before it have been shown or will not be", () => {
  const ordered = new InOrder<string>((index) => index < 2 || index === 3);
  expect(ordered.add(4, "four")).toEqual([]);
  expect(ordered.add(2, "two")).toEqual(["two", "four"]);
  expect(ordered.add(7, "seven")).toEqual([]);
  expect(ordered.add(6, "six")).toEqual([]);
  expect(ordered.rest()).toEqual(["six", "seven"]);
});

test("an item that waits is not skipped because the run has noted its end", () => {
  const settled = new Set<number>();
  const ordered = new InOrder<number>((index) => settled.has(index));
  const shown = [1, 0, 2].map((index) => {
    settled.add(index);
    return ordered.add(index, index);
  });
  expect(shown).toEqual([[], [0, 1], [2]]);
});

test("a second end of an item that was shown is not held back", () => {
  const ordered = new InOrder<string>(() => false);
  expect(ordered.add(0, "first")).toEqual(["first"]);
  expect(ordered.add(0, "again")).toEqual(["again"]);
});
