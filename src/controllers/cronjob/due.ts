/** Pure: whether a CronJob is due, and when to check again. */
import { nextTime } from "../../api/cron/next-time.ts";
import { parseSchedule, type Schedule } from "../../api/cron/schedule.ts";
import type { CronJob } from "../../api/generated/batch.ts";
import { millisecondsOf } from "../../api/time.ts";

/**
 * Checks run this much later than the scheduled time, so that a clock that is slightly behind does
 * not check too early.
 */
const LOOK_AFTER_MS = 100;

/**
 * The longest time between two checks. A clock change or a sleep of the machine is noticed after
 * it.
 */
const LONGEST_WAIT_MS = 60_000;

/** If more scheduled times were missed, a warning event is recorded. */
const MANY = 100;

export interface Timetable {
  readonly schedule: Schedule;
  readonly timeZone: string;
}

/** Undefined if the schedule cannot be parsed. */
export function timetableOf({ spec }: CronJob, localZone: string): Timetable | undefined {
  const schedule = parseSchedule(spec.schedule);
  if (schedule.kind === "problem") return undefined;
  return { schedule, timeZone: spec.timeZone ?? localZone };
}

export type Due =
  | { readonly kind: "nothing" }
  /** The latest missed time. Earlier missed times are skipped. */
  | { readonly kind: "at"; readonly timeMs: number; readonly missesMany: boolean }
  | { readonly kind: "impossible"; readonly problem: string };

export function dueAt(cronJob: CronJob, timetable: Timetable, nowMs: number): Due {
  const { startingDeadlineSeconds: deadline } = cronJob.spec;
  const since = sinceMs(cronJob);
  const earliestMs = deadline === undefined ? since : Math.max(since, nowMs - deadline * 1000);
  return mostRecent(timetable, earliestMs, nowMs);
}

function sinceMs({ metadata, status }: CronJob): number {
  const from = status.lastScheduleTime ?? metadata.creationTimestamp;
  return from === undefined || from === null ? 0 : millisecondsOf(from);
}

function mostRecent({ schedule, timeZone }: Timetable, earliestMs: number, nowMs: number): Due {
  const after = (timeMs: number) => nextTime(schedule, timeMs, timeZone);
  const first = after(earliestMs);
  const second = first === undefined ? undefined : after(first);
  if (first === undefined || second === undefined) {
    const problem = "time difference between two schedules is less than 1 second";
    return { kind: "impossible", problem };
  }
  if (nowMs < first) return { kind: "nothing" };
  if (nowMs < second) return { kind: "at", timeMs: first, missesMany: false };
  const betweenMs = Math.max(1000, Math.round((second - first) / 1000) * 1000);
  const missed = Math.floor((nowMs - first) / betweenMs) + 1;
  const timeMs =
    schedule.kind === "every" ? first + (missed - 1) * betweenMs : latestOf(after, first, nowMs);
  return { kind: "at", timeMs, missesMany: missed > MANY };
}

/**
 * Finds the latest time at or before now. It searches backwards, because iterating over all missed
 * times could take too long.
 */
function latestOf(
  after: (timeMs: number) => number | undefined,
  first: number,
  nowMs: number,
): number {
  let latest = first;
  for (let backMs = 60_000; latest === first && nowMs - backMs > first; backMs *= 2) {
    for (
      let next = after(nowMs - backMs);
      next !== undefined && next <= nowMs;
      next = after(next)
    ) {
      latest = next;
    }
  }
  for (let next = after(latest); next !== undefined && next <= nowMs; next = after(next)) {
    latest = next;
  }
  return latest;
}

/**
 * The delay until the next scheduled time, at most LONGEST_WAIT_MS; undefined if there is no next
 * time.
 */
export function untilNextMs({ schedule, timeZone }: Timetable, nowMs: number): number | undefined {
  const next = nextTime(schedule, nowMs, timeZone);
  if (next === undefined) return undefined;
  return Math.min(next + LOOK_AFTER_MS - nowMs, LONGEST_WAIT_MS);
}

export function isTooLate({ spec }: CronJob, timeMs: number, nowMs: number): boolean {
  const { startingDeadlineSeconds: deadline } = spec;
  return deadline !== undefined && timeMs + deadline * 1000 < nowMs;
}
