import { expect, test } from "vitest";
import type { Attempt } from "../../ledger/attempt.ts";
import { endInLedger } from "./attempt.ts";

function anAttempt(jobUID: string, podUID: string, fields: Partial<Attempt> = {}): Attempt {
  const unknown = { signal: undefined, reason: undefined, message: undefined, logFile: undefined };
  const times = { startTime: "2026-01-01T00:00:00Z", endTime: "2026-01-01T00:00:01Z" };
  const how = { outcome: "Failed", exitCode: 3, node: undefined } as const;
  return { ...unknown, ...times, ...how, pod: podUID, podUID, jobUID, ...fields };
}

const ABOUT = { item: "banana", containers: ["main"] };

test("the end in the ledger is that of the last attempt", () => {
  const attempts = [anAttempt("job", "a"), anAttempt("job", "b", { exitCode: 4 })];
  const end = endInLedger("default", 1, attempts, ABOUT);
  expect(end).toMatchObject({ attempt: 2, exitCode: 4, pod: { name: "b" }, outcome: "Failed" });
});

test("attempts of a former Job, and attempts that were stopped, are not counted", () => {
  const stopped = anAttempt("now", "c", { outcome: "Deleted" });
  const attempts = [anAttempt("former", "a"), anAttempt("former", "b"), stopped];
  const end = endInLedger("default", 1, [...attempts, anAttempt("now", "d")], ABOUT);
  expect(end).toMatchObject({ attempt: 1, pod: { name: "d" } });
});

test("without a finished attempt there is no end", () => {
  const running = anAttempt("job", "a", { outcome: "Running", exitCode: undefined });
  const { endTime: _, ...rest } = running;
  expect(endInLedger("default", 1, [{ ...rest, endTime: undefined }], ABOUT)).toBeUndefined();
});
