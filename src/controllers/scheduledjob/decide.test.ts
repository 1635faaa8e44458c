import { expect, test } from "vitest";
import { aTemplate } from "../../../test/builders/workflows.ts";
import type { ScheduledJobSpec } from "../../api/generated/tallyjob.ts";
import { formatTime } from "../../api/time.ts";
import { decideScheduledJob } from "./decide.ts";

const DUE_MS = Date.UTC(2026, 6, 21, 14);
const SECOND_MS = 1000;

function decide(afterMs: number, spec: Partial<ScheduledJobSpec> = {}) {
  const nowMs = DUE_MS + afterMs;
  return decideScheduledJob({
    scheduled: {
      apiVersion: "tallyjob.io/v1alpha1",
      kind: "ScheduledJob",
      metadata: { name: "s", generation: 1 },
      spec: { runAt: formatTime(DUE_MS), jobTemplate: aTemplate(), ...spec },
      status: {},
    },
    nowMs,
    now: formatTime(nowMs),
  });
}

test.each([
  ["a second before", -SECOND_MS, {}, { status: { phase: "Scheduled" }, againInMs: SECOND_MS }],
  // Wakes up after a minute, to notice a changed clock or a sleep of the machine.
  ["a year before", -365 * 86_400 * SECOND_MS, {}, { againInMs: 60 * SECOND_MS }],
  ["at its time", 0, {}, { kind: "start" }],
  ["a year after", 365 * 86_400 * SECOND_MS, {}, { kind: "start" }],
  ["at its deadline", 5 * SECOND_MS, { startingDeadlineSeconds: 5 }, { kind: "start" }],
  ["past its deadline", 5001, { startingDeadlineSeconds: 5 }, { status: { phase: "Missed" } }],
  ["while it is suspended", 0, { suspend: true }, { status: { phase: "Suspended" } }],
])("%s", (_, afterMs, spec, expected) => {
  expect(decide(afterMs, spec)).toMatchObject(expected);
});

test("runAt may have any time zone offset", () => {
  expect(decide(0, { runAt: "2026-07-21T16:00:00+02:00" })).toEqual({ kind: "start" });
  expect(decide(-1, { runAt: "2026-07-21T16:00:00+02:00" })).toMatchObject({ againInMs: 1 });
});
