import { expect, test } from "vitest";
import { composeDeath, composeEnd, decideOutcome, findStatus, hasRead } from "./outcome.ts";

test.each([
  ["success", 0, "", { exitCode: 0 }],
  ["a code", 1, "", { exitCode: 1 }],
  ["a code above 128", 137, "", { exitCode: 137 }],
  ["a signal that the shell remarks on", 137, "Killed\n", { exitCode: 137, signal: 9 }],
  ["one it never remarks on", 141, "", { exitCode: 141, signal: 13 }],
  ["no working directory", 2, "dash: 1: cd: can't cd to /x", { exitCode: 128 }],
  ["no log", 2, "dash: 3: cannot create /x: No space left on device", { exitCode: 128 }],
])("%s", (_what, status, remarks, outcome) => {
  expect(decideOutcome(status, remarks)).toEqual(outcome);
});

test.each([
  ["a status", "e 1 0\n", { status: 0, remarks: "" }],
  ["what was remarked on it", "Killed\ne 1 137\n", { status: 137, remarks: "Killed" }],
  ["not what was remarked on another", "Killed\ne 0 137\ne 1 0\n", { status: 0, remarks: "" }],
  ["no remark where it says what was read", "e 0 0\nb 1\ne 1 1\n", { status: 1, remarks: "" }],
  ["nothing yet", "e 0 0\n", undefined],
  ["nothing of a line that is being written", "e 1 13", undefined],
  ["nothing of a longer number", "e 11 0\n", undefined],
])("a slot's file tells %s", (_what, text, found) => {
  expect(findStatus(text, 1)).toEqual(found);
});

test.each([
  ["first", "b 1\n", true],
  ["after others", "b 0\ne 0 0\nb 1\n", true],
  ["not by a line that is being written", "b 0\ne 0 0\nb 1", false],
  ["not by a longer number", "b 11\n", false],
  ["not by its end", "e 1 0\n", false],
])("a slot's file tells that a run was read: %s", (_what, text, isSo) => {
  expect(hasRead(text, 1)).toBe(isSo);
});

const RUN = { number: 1, run: "u/c/0", startedMs: 1, slot: undefined, isKilled: false };
const DEATH = { notes: "", isKilled: false, isOutOfMemory: false, finishedMs: 2 };
const BASE = { run: "u/c/0", startedMs: 1, finishedMs: 2 };

test("a run that never began says what was in the way", () => {
  const remarks = "/bin/dash: 3: cannot create /x: No space left on device\n";
  const ended = composeEnd(RUN, { status: 2, remarks, finishedMs: 2 }, false);
  const problem = "cannot create /x: no space left on device";
  expect(ended).toEqual({ ...BASE, exitCode: 128, problem });
  const exited = composeEnd(RUN, { status: 128, remarks: "", finishedMs: 2 }, false);
  expect(exited).toEqual({ ...BASE, exitCode: 128 });
});

test.each([
  ["killed by us", { isKilled: true }, { exitCode: 137, signal: 9 }],
  [
    "killed for its memory",
    { isOutOfMemory: true },
    { exitCode: 137, signal: 9, isOutOfMemory: true },
  ],
  ["given up", { notes: "e 0 0\ndash: 2: Cannot fork\n" }, { exitCode: 128 }],
  ["gone without a word", {}, { exitCode: 137, isLost: true }],
])("a run whose slot was %s", (_what, death, end) => {
  expect(composeDeath(RUN, { ...DEATH, ...death })).toEqual({ ...BASE, ...end });
});
