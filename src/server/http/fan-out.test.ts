import { expect, test } from "vitest";
import { FanOut, type Telling } from "./fan-out.ts";

const MIB = 1024 * 1024;

function aFanOut() {
  const turns: (() => void)[] = [];
  const told: string[] = [];
  const fanOut = new FanOut((callback) => turns.push(callback));
  const watch = (name: string, bytes: number): Telling => ({
    tell: () => {
      told.push(name);
      return bytes;
    },
  });
  /** What was told by then. */
  const nextTurn = (): string => {
    turns.shift()?.();
    return told.join("");
  };
  return { fanOut, watch, told, turns, nextTurn };
}

test("few are told at once", () => {
  const { fanOut, watch, told, nextTurn, turns } = aFanOut();
  for (const name of ["a", "b", "c"]) fanOut.enter(watch(name, 100));
  expect(told).toEqual(["a", "b", "c"]);
  nextTurn();
  expect(turns).toEqual([]);
});

test("many are told in turns, in the order in which they came", () => {
  const { fanOut, watch, told, nextTurn, turns } = aFanOut();
  for (const name of ["a", "b", "c", "d", "e"]) fanOut.enter(watch(name, MIB));
  expect(told).toEqual(["a", "b"]);
  expect(nextTurn()).toBe("abcd");
  fanOut.enter(watch("f", MIB));
  expect(nextTurn()).toBe("abcdef");
  nextTurn();
  expect(turns).toEqual([]);
});

test("a new turn has room again", () => {
  const { fanOut, watch, told, nextTurn } = aFanOut();
  fanOut.enter(watch("a", 3 * MIB));
  nextTurn();
  fanOut.enter(watch("b", 1));
  expect(told).toEqual(["a", "b"]);
});
