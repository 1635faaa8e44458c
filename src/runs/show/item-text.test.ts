import { expect, test } from "vitest";
import type { AttemptEnd } from "../follow/attempt.ts";
import { endText, failureText, itemText, type RunWords, retryText } from "./item-text.ts";

const END: AttemptEnd = {
  index: 1,
  item: "banana.txt",
  attempt: 2,
  pod: { namespace: "default", name: "fruits-1-abcde", uid: "u" },
  containers: [],
  startedMs: 0,
  endedMs: 0,
  outcome: "Failed",
  exitCode: 3,
  signal: undefined,
  reason: "Error",
  message: undefined,
};
const WORDS: RunWords = {
  name: "fruits",
  attempts: 4,
  flags: "",
  logOf: () => ".tally/logs/x.log",
};

test("a failure names the item, how it ended, which attempt it was, its log and what to do", () => {
  expect(failureText(END, WORDS)).toBe(
    "banana.txt (index 1): exit 3, attempt 2 of 4, log .tally/logs/x.log, " +
      "run again with: tally retry fruits --index 1",
  );
});

test("a failure that is not the last announces a retry", () => {
  expect(retryText(END, { ...WORDS, attempts: undefined })).toBe(
    "banana.txt (index 1): exit 3, attempt 2, to be tried again",
  );
});

test("without a list the index is shown, without indexes the pod", () => {
  expect(itemText({ ...END, item: undefined })).toBe("index 1");
  expect(itemText({ ...END, item: undefined, index: undefined })).toBe("fruits-1-abcde");
});

test.each<[string, Partial<AttemptEnd>, string]>([
  ["its exit code", { exitCode: 7 }, "exit 7"],
  ["a signal", { exitCode: 137, signal: 9 }, "killed by SIGKILL (exit 137)"],
  ["too little memory", { exitCode: 137, reason: "OOMKilled" }, "out of memory (exit 137)"],
  ["its time", { exitCode: 143, reason: "DeadlineExceeded" }, "took too long"],
  [
    "no such command",
    { exitCode: 127, reason: "StartError", message: "no such file" },
    "could not start: no such file",
  ],
  [
    "no container at all",
    { exitCode: undefined, reason: "Evicted", message: "no room" },
    "Evicted: no room",
  ],
])("an end by %s", (_, end, expected) => {
  expect(endText({ ...END, reason: "Error", ...end })).toBe(expected);
});
