import { expect, test } from "vitest";
import type { ItemResult } from "./item-result.ts";
import type { RunState } from "./run-state.ts";
import { type RunStatus, type StatusWords, statusLines, statusObject } from "./status-text.ts";

const NOW = Date.parse("2026-01-01T00:01:00Z");
const WORDS: StatusWords = { columns: 80, attempts: 4, flags: "" };

test("a running run shows progress and rate", () => {
  const lines = statusLines(aStatus({ succeeded: 298, failed: 2, active: 8 }), WORDS);
  expect(lines).toEqual([
    "fetch: Running, 298 of 1,000 succeeded, 2 failed, 8 active",
    "  [##########..........................] 30 %  5.0/s  2m20s left  for 1m00s",
    "  and 2 more: tally results fetch --failed",
  ]);
});

test("items done before do not count for the rate", () => {
  const { rate } = statusObject(aStatus({ succeeded: 600, before: 300 })) as { rate: number };
  expect(rate).toBe(5);
});

test("a failure is shown with its exit code, attempts, log and retry command", () => {
  const state = { phase: "Failed", succeeded: 999, failed: 1, endMs: NOW - 1200 } as const;
  const failures = [{ result: aResult({ item: "banana.txt" }), log: ".tally/logs/x.log" }];
  expect(statusLines(aStatus(state, { failures }), { ...WORDS, flags: " --data d" })).toEqual([
    "fetch: Failed, 999 of 1,000 succeeded, 1 failed",
    "  in 59s  ended 1.2s ago",
    "  banana.txt (index 1): exit 3, attempt 4 of 4",
    "    log .tally/logs/x.log",
    "    run again with: tally retry fetch --index 1 --data d",
    "  their output:   tally logs fetch --failed --data d",
    "  run them again: tally retry fetch --failed --data d",
  ]);
});

test("a run that ended early shows how many items were not run", () => {
  const state = { phase: "Failed", reason: "MaxFailedIndexesExceeded", total: 10 } as const;
  const status = aStatus({ ...state, succeeded: 3, failed: 1, endMs: NOW });
  const counts = "3 of 10 succeeded, 1 failed, 6 not run";
  expect(statusLines(status, WORDS)[0]).toBe(`fetch: Failed (MaxFailedIndexesExceeded), ${counts}`);
  expect(statusObject(status)).toMatchObject({ total: 10, succeeded: 3, failed: 1, notRun: 6 });
});

test("long names are shortened, paths and commands are not", () => {
  const result = aResult({ item: "x".repeat(200), index: 123 });
  const log = `/${"y".repeat(100)}`;
  const lines = statusLines(
    aStatus({ phase: "Failed", failed: 1, endMs: NOW }, { failures: [{ result, log }] }),
    { ...WORDS, columns: 60 },
  );
  expect(lines.find((line) => line.includes("xxx"))).toMatch(/^ {2}x+… \(index 123\): exit 3, /);
  const cut = lines.filter((line) => !/log \/|tally /.test(line));
  expect(Math.max(...cut.map((line) => line.length))).toBeLessThanOrEqual(60);
  expect(lines).toContain(`    log ${log}`);
});

test.each(["Stopped", "Paused"] as const)("a run that is %s says how to go on", (phase) => {
  expect(statusLines(aStatus({ phase }), WORDS).at(-1)).toBe("  continue: tally resume fetch");
});

test("an item without a name is shown by its index", () => {
  const failures = [{ result: aResult({}), log: undefined }];
  const lines = statusLines(aStatus({ failed: 1 }, { failures }), WORDS);
  expect(lines).toContain("  index 1: exit 3, attempt 4 of 4");
});

test("the JSON status is one object", () => {
  const failures = [{ result: aResult({ item: "b", signal: 9, exitCode: 137 }), log: "l" }];
  expect(statusObject(aStatus({ failed: 1 }, { waiting: 2, failures }))).toEqual({
    name: "fetch",
    state: "Running",
    total: 1000,
    succeeded: 0,
    failed: 1,
    notRun: 0,
    active: 0,
    waiting: 2,
    startTime: "2026-01-01T00:00:00.000Z",
    seconds: 60,
    rate: 1 / 60,
    remainingSeconds: 999 * 60,
    failures: [{ item: "b", index: 1, attempts: 5, exit: 137, signal: "SIGKILL", log: "l" }],
  });
});

function aStatus(state: Partial<RunState>, more: Partial<RunStatus> = {}): RunStatus {
  const whole: RunState = {
    ...{ name: "fetch", phase: "Running", reason: undefined, total: 1000, succeeded: 0 },
    ...{ before: 0, failed: 0, active: 0, createdMs: NOW - 60_000, startMs: NOW - 60_000 },
    ...{ endMs: undefined, ...state },
  };
  return { state: whole, failures: [], waiting: 0, nowMs: NOW, ...more };
}

function aResult(fields: Partial<ItemResult>): ItemResult {
  return {
    ...{ index: 1, item: undefined, state: "Failed", attempts: 5, tries: 4, exitCode: 3 },
    ...{ signal: undefined, reason: undefined, message: undefined },
    ...{ startMs: undefined, endMs: undefined, last: undefined },
    ...fields,
  };
}
