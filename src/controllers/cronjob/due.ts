/** Pure: whether a CronJob is due, and when to look again. */
import { nextTime } from "../../api/cron/next-time.ts";
import { parseSchedule, type Schedule } from "../../api/cron/schedule.ts";
import type { CronJob } from "../../api/generated/batch.ts";
import { millisecondsOf } from "../../api/time.ts";

/** So much later than the time itself, so that a clock that is behind does not look too soon. */
const LOOK_AFTER_MS = 100;

/** A clock that was set, or a machine that slept, is noticed by then. */
const LONGEST_WAIT_MS = 60_000;

/** More missed times than this are worth a warning. */
const MANY = 100;

export interface Timetable {
  readonly schedule: Schedule;
  readonly timeZone: string;
}

/** Undefined where the text says nothing that can be understood. */
export function timetableOf({ spec }: CronJob, localZone: string): Timetable | undefined {
  const schedule = parseSchedule(spec.schedule);
  if (schedule.kind === "problem") return undefined;
  return { schedule, timeZone: spec.timeZone ?? localZone };
}

export type Due =
  | { readonly kind: "nothing" }
  /** The latest time that was missed; those before it are never made up for. */
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

/** Looking at every missed time could take for ever: it is looked for from the end. */
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

/** Until the next time, or until the clock is worth another look; undefined where none comes. */
export function untilNextMs({ schedule, timeZone }: Timetable, nowMs: number): number | undefined {
  const next = nextTime(schedule, nowMs, timeZone);
  if (next === undefined) return undefined;
  return Math.min(next + LOOK_AFTER_MS - nowMs, LONGEST_WAIT_MS);
}

export function isTooLate({ spec }: CronJob, timeMs: number, nowMs: number): boolean {
  const { startingDeadlineSeconds: deadline } = spec;
  return deadline !== undefined && timeMs + deadline * 1000 < nowMs;
}
