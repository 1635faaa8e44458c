import fc from "fast-check";
import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

function waitingIn(turns: Turns, group: string, indexes: readonly number[], limit: number): void {
  for (const index of indexes) turns.wait(group, { uid: `${group}${index}`, index }, limit);
}

test("whatever the order in which pods come, the lowest indexes begin", () => {
  const turns = new Turns();
  waitingIn(turns, "j", [0, 1, 10, 11, 2, 3], 2);
  expect(turns.call()).toEqual(["j0", "j1"]);
  expect(turns.call()).toEqual([]);
  turns.leave("j1");
  expect(turns.call()).toEqual(["j2"]);
  turns.leave("j0");
  turns.leave("j2");
  expect(turns.call()).toEqual(["j3", "j10"]);
  expect(["j3", "j10", "j11"].map((uid) => turns.has(uid))).toEqual([true, true, false]);
});

test("an index that comes late begins before higher ones that wait", () => {
  const turns = new Turns();
  waitingIn(turns, "j", [4, 5, 6], 1);
  expect(turns.call()).toEqual(["j4"]);
  waitingIn(turns, "j", [3], 1);
  turns.leave("j4");
  expect(turns.call()).toEqual(["j3"]);
});

test("pods without an index begin in the order in which they came", () => {
  const turns = new Turns();
  for (const uid of ["c", "a", "b"]) turns.wait("j", { uid, index: undefined }, 2);
  expect(turns.call()).toEqual(["c", "a"]);
});

test("a higher limit lets more begin, a lower one ends nothing", () => {
  const turns = new Turns();
  waitingIn(turns, "j", [0, 1, 2, 3], 1);
  expect(turns.call()).toEqual(["j0"]);
  turns.limit("j", 3);
  expect(turns.call()).toEqual(["j1", "j2"]);
  turns.limit("j", 0);
  turns.leave("j0");
  expect(turns.call()).toEqual([]);
  turns.limit("j", 2);
  expect(turns.call()).toEqual([]);
  turns.leave("j1");
  expect(turns.call()).toEqual(["j3"]);
});

test("pods that are found running count, beyond the limit too", () => {
  const turns = new Turns();
  waitingIn(turns, "j", [0], 1);
  for (const uid of ["a", "b"]) turns.keep("j", uid, 1);
  expect(turns.call()).toEqual([]);
  turns.leave("a");
  expect(turns.call()).toEqual([]);
  turns.leave("b");
  expect(turns.call()).toEqual(["j0"]);
});

test("a pod that goes before its turn is not called, and other Jobs do not wait", () => {
  const turns = new Turns();
  waitingIn(turns, "j", [0, 1, 2], 1);
  waitingIn(turns, "k", [0], 1);
  expect(turns.call()).toEqual(["j0", "k0"]);
  turns.leave("j1");
  turns.leave("j0");
  turns.leave("unknown");
  expect(turns.call()).toEqual(["j2"]);
});

test("never too many at once, never one while a lower index waits", () => {
  const moves = fc.array(fc.tuple(fc.constantFrom("come", "go", "limit"), fc.nat(30)), {
    maxLength: 200,
  });
  fc.assert(
    fc.property(moves, (all) => {
      const turns = new Turns();
      const waiting = new Set<number>();
      const running = new Set<number>();
      let limit = 2;
      for (const [move, number] of all) {
        if (move === "come" && !running.has(number)) waiting.add(number);
        if (move === "come") turns.wait("j", { uid: String(number), index: number }, limit);
        if (move === "go") {
          turns.leave(String(number));
          waiting.delete(number);
          running.delete(number);
        }
        if (move === "limit") {
          limit = number % 5;
          turns.limit("j", limit);
        }
        const called = turns.call().map(Number);
        const room = Math.max(0, limit - running.size);
        const expected = [...waiting].sort((one, other) => one - other).slice(0, room);
        expect(called).toEqual(expected);
        for (const index of called) {
          waiting.delete(index);
          running.add(index);
        }
      }
    }),
  );
});

test("a pod that is given to another Job while it waits keeps its turn, and leaves it", () => {
  const turns = new Turns();
  for (const [index, uid] of ["a", "b", "c"].entries()) turns.wait("j", { uid, index }, 1);
  expect(turns.call()).toEqual(["a"]);
  turns.wait("other", { uid: "b", index: 1 }, 1);
  expect(turns.call()).toEqual([]);
  turns.leave("a");
  expect(turns.call()).toEqual(["b"]);
  turns.leave("b");
  expect(turns.call()).toEqual(["c"]);
  turns.wait("other", { uid: "x", index: 0 }, 1);
  expect(turns.call()).toEqual(["x"]);
});
