/**
 * Pure: when a schedule is due next. A moment is due if the local time of the zone at that moment
 * matches the fields: an hour that clocks skip is skipped, and one that they repeat occurs twice.
 */
import type { Schedule, ScheduleFields } from "./schedule.ts";
import { zoneOffsetMs } from "./zone-offset.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A date that has not occurred within this many years never will. */
const YEARS_AHEAD = 5;

/** Undefined for dates that do not exist, such as 31 February. */
export function nextTime(
  schedule: Schedule,
  afterMs: number,
  timeZone: string,
): number | undefined {
  if (schedule.kind === "every") {
    return Math.floor(afterMs / SECOND_MS) * SECOND_MS + schedule.seconds * SECOND_MS;
  }
  const zone = schedule.timeZone ?? timeZone;
  const wallMs = afterMs + zoneOffsetMs(zone, afterMs);
  const lastYear = new Date(wallMs).getUTCFullYear() + YEARS_AHEAD;
  // Start one day earlier: if clocks go back over midnight, the previous day is not over yet.
  let dayMs = Math.floor(wallMs / DAY_MS) * DAY_MS - DAY_MS;
  for (; new Date(dayMs).getUTCFullYear() <= lastYear; dayMs += DAY_MS) {
    if (!isDueOn(schedule, dayMs)) continue;
    const found = firstOf(schedule, dayMs, { afterMs, zone });
    if (found === undefined) continue;
    const next = isDueOn(schedule, dayMs + DAY_MS)
      ? firstOf(schedule, dayMs + DAY_MS, { afterMs, zone })
      : undefined;
    return next === undefined ? found : Math.min(found, next);
  }
  return undefined;
}

/** If both day fields are restricted, a match of either is sufficient. */
function isDueOn({ month, dayOfMonth, dayOfWeek }: ScheduleFields, dayMs: number): boolean {
  const date = new Date(dayMs);
  if (!month.values.has(date.getUTCMonth() + 1)) return false;
  const isDay = dayOfMonth.values.has(date.getUTCDate());
  const isWeekday = dayOfWeek.values.has(date.getUTCDay());
  return dayOfMonth.isStar || dayOfWeek.isStar ? isDay && isWeekday : isDay || isWeekday;
}

interface Search {
  readonly afterMs: number;
  readonly zone: string;
}

/**
 * The first moment after `afterMs` at which the local time is on this day and matches the schedule.
 */
function firstOf(
  { hour, minute }: ScheduleFields,
  dayMs: number,
  { afterMs, zone }: Search,
): number | undefined {
  const offsets = offsetsAround(dayMs, zone);
  let first: number | undefined;
  for (const hourOfDay of hour.values) {
    for (const minuteOfHour of minute.values) {
      const wallMs = dayMs + hourOfDay * HOUR_MS + minuteOfHour * MINUTE_MS;
      for (const offsetMs of offsets) {
        const atMs = wallMs - offsetMs;
        if (atMs <= afterMs || (first !== undefined && atMs >= first)) continue;
        if (offsets.length === 1 || zoneOffsetMs(zone, atMs) === offsetMs) first = atMs;
      }
    }
  }
  return first;
}

/** One offset on most days, two if clocks change. */
function offsetsAround(dayMs: number, zone: string): readonly number[] {
  const moments = [dayMs - DAY_MS, dayMs, dayMs + DAY_MS, dayMs + 2 * DAY_MS];
  return [...new Set(moments.map((atMs) => zoneOffsetMs(zone, atMs)))];
}
