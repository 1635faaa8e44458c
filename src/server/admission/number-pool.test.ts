import fc from "fast-check";
import { expect, test } from "vitest";
import { numberPool } from "./number-pool.ts";

const none = new Set<number>();

test("the upper part is used first, the reserved part only when it is full", () => {
  const pool = numberPool({ first: 1, last: 4, reserved: 2 });
  const given: (number | undefined)[] = [];
  for (let count = 0; count < 5; count++) {
    const number = pool.findFree(none);
    given.push(number);
    if (number !== undefined) pool.take(number);
  }
  expect(given).toEqual([3, 4, 1, 2, undefined]);
});

test("a returned number is used again only after the others", () => {
  const pool = numberPool({ first: 1, last: 3, reserved: 0 });
  const first = pool.findFree(none) ?? 0;
  pool.take(first);
  pool.giveBack(first);
  expect([pool.findFree(none), pool.findFree(none), pool.findFree(none)]).toEqual([2, 3, 1]);
});

test("a free number is in the range, not taken and not excepted", () => {
  const numbers = fc.uniqueArray(fc.integer({ min: 10, max: 30 }));
  fc.assert(
    fc.property(numbers, numbers, (taken, except) => {
      const pool = numberPool({ first: 10, last: 30, reserved: 5 });
      for (const number of taken) pool.take(number);
      const found = pool.findFree(new Set(except));
      const isFull = new Set([...taken, ...except]).size === 21;
      expect(found === undefined).toBe(isFull);
      if (found === undefined) return;
      expect(pool.has(found) && !pool.isTaken(found) && !except.includes(found)).toBe(true);
    }),
  );
});
