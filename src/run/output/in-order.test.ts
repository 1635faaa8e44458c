import fc from "fast-check";
import { expect, test } from "vitest";
import { InOrder } from "./in-order.ts";

test("whatever the order they end in, they come out in the order of the list", () => {
  const permutation = fc
    .uniqueArray(fc.nat(30), { minLength: 1 })
    .map((values) => values.map((value, at) => ({ value, at })));
  fc.assert(
    fc.property(permutation, (ends) => {
      const indexes = [...ends].sort((one, other) => one.value - other.value).map(({ at }) => at);
      const ordered = new InOrder<number>(() => false);
      const shown = indexes.flatMap((index) => ordered.add(index, index));
      expect(shown).toEqual(indexes.map((_, at) => at));
      expect(ordered.rest()).toEqual([]);
    }),
  );
});

test("what ended before is not waited for, what is missing holds nothing back in the end", () => {
  const ordered = new InOrder<string>((index) => index < 2 || index === 3);
  expect(ordered.add(4, "four")).toEqual([]);
  expect(ordered.add(2, "two")).toEqual(["two", "four"]);
  expect(ordered.add(7, "seven")).toEqual([]);
  expect(ordered.add(6, "six")).toEqual([]);
  expect(ordered.rest()).toEqual(["six", "seven"]);
});
