import fc from "fast-check";
import { expect, test } from "vitest";
import { anAttempt } from "../../test/builders/attempt.ts";
import type { Attempt } from "./attempt.ts";
import { attemptKey, jobEventKey, namespaceKey, parseNoteKey } from "./keys.ts";
import {
  formatAttempt,
  formatJobEvent,
  formatRemoval,
  parseAttempt,
  parseJobEvent,
  parseRemoval,
} from "./records.ts";

const attempt: fc.Arbitrary<Attempt> = fc.record(
  {
    outcome: fc.constantFrom("Succeeded", "Failed", "Deleted"),
    jobUID: fc.uuid(),
    pod: fc.string(),
    podUID: fc.uuid(),
    node: fc.string(),
    startTime: fc.constant("2026-01-01T00:00:00Z"),
    endTime: fc.constant("2026-01-01T00:00:01Z"),
    exitCode: fc.integer(),
    signal: fc.nat(64),
    reason: fc.string(),
    message: fc.string(),
    logFile: fc.string(),
  },
  { requiredKeys: ["outcome", "jobUID", "pod", "podUID"] },
) as fc.Arbitrary<Attempt>;

test("parsing a formatted attempt returns the same attempt", () => {
  fc.assert(
    fc.property(attempt, fc.nat(), (written, revision) => {
      const record = { attempt: written, created: "2026-01-01T00:00:00Z", revision };
      expect(parseAttempt(formatAttempt(record), written.podUID)).toEqual(record);
    }),
  );
});

test("an encoded attempt is small", () => {
  const uid = "0".repeat(36);
  const written = anAttempt({
    outcome: "Succeeded",
    jobUID: uid,
    pod: "work-123456-abcde",
    podUID: uid,
    node: "node-1",
    startTime: "2026-01-01T00:00:00Z",
    endTime: "2026-01-01T00:00:00Z",
    exitCode: 0,
    reason: "Completed",
  });
  const bytes = formatAttempt({ attempt: written, created: "2026-01-01T00:00:00Z", revision: 1e6 });
  expect(bytes.length).toBeLessThan(220);
});

test("parsing formatted events and removals returns the same values", () => {
  for (const event of [
    { kind: "created", uid: "u", continues: true },
    { kind: "created", uid: "u", continues: false },
    { kind: "deleted", uid: "u", atMs: 1234 },
  ] as const) {
    expect(parseJobEvent(formatJobEvent(event))).toEqual(event);
  }
  expect(parseRemoval(formatRemoval(77))).toBe(77);
});

test.each(["", "{}", "[]", "[1]", '["created"]', "nonsense", "[1,2,null]"])(
  "%j is not a valid record",
  (text) => {
    expect(parseAttempt(Buffer.from(text), "u")).toBeUndefined();
    expect(parseJobEvent(Buffer.from(text))).toBeUndefined();
  },
);

test("keys can be parsed, and sort by index", () => {
  const name = { namespace: "ns", jobName: "work" };
  const keys = [9, 10, 2_147_483_647].map((index) =>
    attemptKey({ ...name, index, podUID: "u", run: "~" }),
  );
  expect([...keys].sort()).toEqual(keys);
  expect(parseNoteKey(keys[1] ?? "")).toEqual({
    kind: "attempt",
    ...name,
    index: 10,
    podUID: "u",
  });
  const event = jobEventKey({ ...name, revision: 12 });
  expect(parseNoteKey(event)).toEqual({ kind: "event", ...name, revision: 12 });
  expect(event < (keys[0] ?? "")).toBe(true);
  expect(parseNoteKey(namespaceKey("ns"))).toEqual({ kind: "namespace", namespace: "ns" });
  expect(parseNoteKey("")).toBeUndefined();
});
