import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

test("so many at once, the others in the order they came", () => {
  const turns = new Turns();
  expect(["a", "b", "c", "d"].map((uid) => turns.take("j", uid, 2))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(turns.leave("b")).toEqual(["c"]);
  expect(turns.take("j", "c", 2)).toBe(true);
  expect(turns.take("j", "d", 2)).toBe(false);
  expect(turns.leave("a")).toEqual(["d"]);
});

test("a higher limit lets more begin, a lower one ends nothing", () => {
  const turns = new Turns();
  for (const uid of ["a", "b", "c", "d"]) turns.take("j", uid, 1);
  expect(turns.limit("j", 3)).toEqual(["b", "c"]);
  expect(turns.limit("j", 0)).toEqual([]);
  expect(turns.leave("a")).toEqual([]);
  expect(turns.limit("j", 2)).toEqual([]);
  expect(turns.leave("b")).toEqual(["d"]);
});

test("what is found running counts, beyond the limit too", () => {
  const turns = new Turns();
  for (const uid of ["a", "b"]) turns.keep("j", uid, 1);
  expect(turns.take("j", "c", 1)).toBe(false);
  expect(turns.leave("a")).toEqual([]);
  expect(turns.leave("b")).toEqual(["c"]);
});

test("one that goes before its turn is not called, and other Jobs do not wait", () => {
  const turns = new Turns();
  for (const uid of ["a", "b", "c"]) turns.take("j", uid, 1);
  expect(turns.take("other", "x", 1)).toBe(true);
  expect(turns.leave("b")).toEqual([]);
  expect(turns.leave("a")).toEqual(["c"]);
  expect(turns.leave("unknown")).toEqual([]);
});

test("a pod that is given to another Job while it waits keeps its turn, and leaves it", () => {
  const turns = new Turns();
  for (const uid of ["a", "b", "c"]) turns.take("j", uid, 1);
  expect(turns.take("other", "b", 1)).toBe(false);
  expect(turns.leave("a")).toEqual(["b"]);
  expect(turns.take("other", "b", 1)).toBe(true);
  expect(turns.leave("b")).toEqual(["c"]);
  expect(turns.take("other", "x", 1)).toBe(true);
});
