import { expect, test } from "vitest";
import { repeats } from "./repeats.ts";

test("an item repeats one before it that has the same key", () => {
  const items = ["a", "b", "A", "c", "a"];
  const found = repeats(items, (item) => item.toLowerCase());
  expect(found).toEqual([false, false, true, false, true]);
});
