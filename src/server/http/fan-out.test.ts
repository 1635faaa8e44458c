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
  /** Runs the next turn and returns the names notified so far. */
  const nextTurn = (): string => {
    turns.shift()?.();
    return told.join("");
  };
  return { fanOut, watch, told, turns, nextTurn };
}

test("few watches are notified at once", () => {
  const { fanOut, watch, told, nextTurn, turns } = aFanOut();
  for (const name of ["a", "b", "c"]) fanOut.enter(watch(name, 100));
  expect(told).toEqual(["a", "b", "c"]);
  nextTurn();
  expect(turns).toEqual([]);
});

test("many watches are notified in several turns, in order of arrival", () => {
  const { fanOut, watch, told, nextTurn, turns } = aFanOut();
  for (const name of ["a", "b", "c", "d", "e"]) fanOut.enter(watch(name, MIB));
  expect(told).toEqual(["a", "b"]);
  expect(nextTurn()).toBe("abcd");
  fanOut.enter(watch("f", MIB));
  expect(nextTurn()).toBe("abcdef");
  nextTurn();
  expect(turns).toEqual([]);
});

test("each turn has a new budget", () => {
  const { fanOut, watch, told, nextTurn } = aFanOut();
  fanOut.enter(watch("a", 3 * MIB));
  nextTurn();
  fanOut.enter(watch("b", 1));
  expect(told).toEqual(["a", "b"]);
});
