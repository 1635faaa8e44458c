import { expect, test } from "vitest";
import type { CronJob } from "../../api/generated/batch.ts";
import { formatTime } from "../../api/time.ts";
import { type Due, dueAt, isTooLate, timetableOf } from "./due.ts";

const at = (time: string) => Date.parse(`2026-${time}:00Z`);

function aCronJob(spec: Partial<CronJob["spec"]>, last?: string): CronJob {
  const created = formatTime(at("01-01T00:00"));
  return {
    metadata: { name: "c", creationTimestamp: created },
    spec: { schedule: "0 * * * *", ...spec },
    status: last === undefined ? {} : { lastScheduleTime: formatTime(at(last)) },
  } as unknown as CronJob;
}

function due(cronJob: CronJob, now: string): Due {
  const timetable = timetableOf(cronJob, "UTC");
  if (!timetable) throw new Error("no timetable");
  return dueAt(cronJob, timetable, at(now));
}

const nothing = { kind: "nothing" };
const once = (time: string, missesMany = false) => ({ kind: "at", timeMs: at(time), missesMany });

test.each<[string, CronJob, string, object]>([
  ["before its first time", aCronJob({}), "01-01T00:30", nothing],
  ["at its first time", aCronJob({}), "01-01T01:00", once("01-01T01:00")],
  ["after it was started", aCronJob({}, "01-01T01:00"), "01-01T01:59", nothing],
  ["after three missed times", aCronJob({}, "01-01T01:00"), "01-01T04:10", once("01-01T04:00")],
  ["after a week away", aCronJob({}, "01-01T01:00"), "01-08T04:10", once("01-08T04:00", true)],
  [
    "after a week away, with a deadline",
    aCronJob({ startingDeadlineSeconds: 7200 }, "01-01T01:00"),
    "01-08T04:10",
    once("01-08T04:00"),
  ],
  [
    "when all missed times are beyond the deadline",
    aCronJob({ startingDeadlineSeconds: 60 }, "01-01T01:00"),
    "01-01T04:10",
    nothing,
  ],
  [
    "with irregular intervals",
    aCronJob({ schedule: "0 9 * * 1-5" }, "01-02T09:00"),
    "01-12T08:00",
    once("01-09T09:00"),
  ],
  ["before the clock was set back", aCronJob({}, "01-01T05:00"), "01-01T04:10", nothing],
])("a CronJob %s", (_, cronJob, now, expected) => {
  expect(due(cronJob, now)).toEqual(expected);
});

test("a date that does not exist is never due", () => {
  expect(due(aCronJob({ schedule: "0 0 31 2 *" }), "01-01T01:00")).toEqual({
    kind: "impossible",
    problem: "time difference between two schedules is less than 1 second",
  });
});

test("the starting deadline is measured from the scheduled time", () => {
  const cronJob = aCronJob({ startingDeadlineSeconds: 60 });
  expect(isTooLate(cronJob, at("01-01T01:00"), at("01-01T01:01"))).toBe(false);
  expect(isTooLate(cronJob, at("01-01T01:00"), at("01-01T01:01") + 1)).toBe(true);
  expect(isTooLate(aCronJob({}), at("01-01T01:00"), at("01-09T01:00"))).toBe(false);
});
