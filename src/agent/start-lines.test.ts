import fc from "fast-check";
import { expect, test } from "vitest";
import { StartLines } from "./start-lines.ts";

test("starts of one owner pass in the order they joined, whichever is ready first", async () => {
  const order = fc.integer({ min: 1, max: 8 }).chain((count) => {
    const numbers = Array.from({ length: count }, (_, number) => number);
    return fc.shuffledSubarray(numbers, { minLength: count, maxLength: count });
  });
  await fc.assert(
    fc.asyncProperty(order, fc.nat(255), async (ready, givenUp) => {
      const lines = new StartLines();
      const passed: number[] = [];
      const open: (() => void)[] = [];
      const starts = ready.map(async (_, number) => {
        const line = lines.join("job");
        await new Promise<void>((resolve) => {
          open[number] = resolve;
        });
        const isGivenUp = ((givenUp >> number) & 1) === 1;
        if (!isGivenUp) {
          await line.before;
          passed.push(number);
        }
        line.leave();
      });
      for (const number of ready) {
        open[number]?.();
        await Promise.resolve();
      }
      await Promise.all(starts);
      const expected = ready.filter((number) => ((givenUp >> number) & 1) === 0);
      expect(passed).toEqual(expected.sort((one, other) => one - other));
    }),
  );
});

test("an owner's line holds up nobody else, and is empty once all have left", () => {
  const lines = new StartLines();
  lines.join("job");
  expect(lines.join("other").before).toBeUndefined();
  expect(lines.join(undefined).before).toBeUndefined();
  expect(lines.join("job").before).toBeInstanceOf(Promise);
});
