import fc from "fast-check";
import { expect, test } from "vitest";
import type { PlacedAttempt } from "./attempt.ts";
import { formatLedger, isFailure, type JobLedger, parseLedger } from "./job-ledger.ts";

const placed = fc.record({
  jobName: fc.constant("work"),
  index: fc.nat(100_000),
  run: fc.constantFrom("~", "main\x00000001"),
  created: fc.constantFrom("2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"),
  attempt: fc.record({
    ...Object.fromEntries(
      ["startTime", "endTime", "reason", "message", "node"].map((name) => [
        name,
        fc.option(fc.string(), { nil: undefined }),
      ]),
    ),
    outcome: fc.constantFrom("Succeeded", "Failed", "Deleted"),
    exitCode: fc.option(fc.nat(255), { nil: undefined }),
    signal: fc.option(fc.nat(15), { nil: undefined }),
    logFile: fc.constant(undefined),
    pod: fc.string(),
    podUID: fc.uuid(),
    jobUID: fc.constantFrom("one", "two"),
  }),
}) as fc.Arbitrary<PlacedAttempt>;

const ledger: fc.Arbitrary<JobLedger> = fc.record({
  attempts: fc.array(placed),
  isCut: fc.boolean(),
});

test("parsing a formatted ledger returns the same attempts", () => {
  fc.assert(
    fc.property(ledger, (given) => {
      expect(parseLedger(formatLedger(given), "work")).toEqual(given);
    }),
  );
});

test("a ledger never exceeds its maximum size, and keeps failures first", () => {
  fc.assert(
    fc.property(ledger, fc.nat(4_000), (given, maxBytes) => {
      const data = formatLedger(given, maxBytes);
      expect(Buffer.byteLength(data["attempts"] ?? "")).toBeLessThanOrEqual(maxBytes);
      const kept = parseLedger(data, "work");
      const failures = given.attempts.filter(isFailure);
      const others = (kept?.attempts ?? []).filter((each) => !isFailure(each));
      const keptFailures = (kept?.attempts ?? []).filter(isFailure);
      if (others.length > 0) expect(keptFailures).toEqual(failures);
      expect(keptFailures).toEqual(failures.slice(failures.length - keptFailures.length));
      if ((kept?.attempts.length ?? 0) < given.attempts.length) expect(kept?.isCut).toBe(true);
    }),
  );
});

test("data in another format is not parsed as a ledger", () => {
  expect(parseLedger(undefined, "work")).toBeUndefined();
  expect(parseLedger({ ledger: "[]", attempts: "" }, "work")).toBeUndefined();
  const strange = { ledger: '{"jobs":["a"],"complete":true}', attempts: "x\n[1]\n[]\n" };
  expect(parseLedger(strange, "work")).toEqual({ attempts: [], isCut: false });
});
