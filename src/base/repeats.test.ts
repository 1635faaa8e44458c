import { expect, test } from "vitest";
import { repeats } from "./repeats.ts";

test("an item is a repeat if an earlier one has the same key", () => {
  const items = ["a", "b", "A", "c", "a"];
  const found = repeats(items, (item) => item.toLowerCase());
  expect(found).toEqual([false, false, true, false, true]);
});
