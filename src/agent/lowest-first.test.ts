import fc from "fast-check";
import { expect, test } from "vitest";
import { LowestFirst } from "./lowest-first.ts";

type Step =
  | { readonly kind: "add"; readonly key: number; readonly rank: number }
  | { readonly kind: "delete"; readonly key: number }
  | { readonly kind: "shift" };

const key = fc.nat(20);
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("add" as const), key, rank: fc.nat(5) }),
    fc.record({ kind: fc.constant("delete" as const), key }),
    fc.record({ kind: fc.constant("shift" as const) }),
  ),
  { maxLength: 100 },
);

test("keys come out as from a list that is sorted by rank, equal ones in order of arrival", () => {
  fc.assert(
    fc.property(steps, (all) => {
      const waiting = new LowestFirst<number>();
      let model: { key: number; rank: number }[] = [];
      const perform = (step: Step): void => {
        switch (step.kind) {
          case "add":
            waiting.add(step.key, step.rank);
            if (model.some((each) => each.key === step.key)) return;
            model.push({ key: step.key, rank: step.rank });
            // Sorting is stable.
            model.sort((one, other) => one.rank - other.rank);
            return;
          case "delete":
            waiting.delete(step.key);
            model = model.filter((each) => each.key !== step.key);
            return;
          case "shift":
            expect(waiting.shift()).toBe(model.shift()?.key);
        }
      };
      for (const step of all) {
        perform(step);
        expect(waiting.size).toBe(model.length);
      }
      for (const each of model) expect(waiting.shift()).toBe(each.key);
      expect(waiting.shift()).toBeUndefined();
    }),
  );
});
