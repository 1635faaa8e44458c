import { expect, test } from "vitest";
import { countResult, isSettled, nextProbeMs, type Streak } from "./results.ts";

/** "s" and "f": how it went, one after the other. "+" and "-" are verdicts, "." is none. */
function verdictsOf(results: string, successThreshold?: number, failureThreshold?: number): string {
  let streak: Streak | undefined;
  let verdicts = "";
  for (const each of results) {
    const thresholds = {
      ...(successThreshold === undefined ? {} : { successThreshold }),
      ...(failureThreshold === undefined ? {} : { failureThreshold }),
    };
    const count = countResult(streak, each === "s", thresholds);
    streak = count.streak;
    verdicts += count.verdict === undefined ? "." : count.verdict ? "+" : "-";
  }
  return verdicts;
}

test.each([
  ["one success is enough, three failures are", "sffsfffs", undefined, undefined, "+..+..-+"],
  ["several in a row may be asked for", "sfsssffs", 3, 1, ".-..+--."],
  ["what goes on is said again", "ssffff", 1, 2, "++.---"],
])("%s", (_, results, successes, failures, verdicts) => {
  expect(verdictsOf(results, successes, failures)).toBe(verdicts);
});

test.each([
  ["startup", true, true],
  ["startup", false, true],
  ["liveness", true, false],
  ["liveness", false, true],
  ["readiness", true, false],
  ["readiness", false, false],
  ["startup", undefined, false],
] as const)("a probe of %s that found %s rests: %s", (kind, verdict, rests) => {
  expect(isSettled(kind, verdict)).toBe(rests);
});

test("the first probe waits for its delay, the others for their period", () => {
  const probe = { initialDelaySeconds: 5, periodSeconds: 2 };
  expect(nextProbeMs(probe, { startedMs: 1000, lastMs: undefined })).toBe(6000);
  expect(nextProbeMs(probe, { startedMs: 1000, lastMs: 6000 })).toBe(8000);
  expect(nextProbeMs({}, { startedMs: 1000, lastMs: 6000 })).toBe(16_000);
});
