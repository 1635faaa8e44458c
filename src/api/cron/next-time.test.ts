import fc from "fast-check";
import { expect, test } from "vitest";
import { nextTime } from "./next-time.ts";
import { parseSchedule, type Schedule } from "./schedule.ts";
import { zoneOffsetMs } from "./zone-offset.ts";

function schedule(text: string): Schedule {
  const parsed = parseSchedule(text);
  if (parsed.kind === "problem") throw new Error(parsed.problem);
  return parsed;
}

function times(text: string, from: string, count: number, zone = "UTC"): string[] {
  const found: string[] = [];
  let atMs: number | undefined = Date.parse(from);
  for (let n = 0; n < count && atMs !== undefined; n++) {
    atMs = nextTime(schedule(text), atMs, zone);
    if (atMs !== undefined) found.push(new Date(atMs).toISOString().slice(0, 16));
  }
  return found;
}

const NEW_YORK = "America/New_York";

test.each<[string, string, string, readonly string[], string?]>([
  ["every minute", "* * * * *", "2026-01-01T00:00:30Z", ["2026-01-01T00:01", "2026-01-01T00:02"]],
  ["a time that is now is already over", "5 * * * *", "2026-01-01T00:05:00Z", ["2026-01-01T01:05"]],
  ["the end of a year", "0 0 1 1 *", "2026-06-01T00:00:00Z", ["2027-01-01T00:00"]],
  ["a leap day", "0 0 29 2 *", "2026-01-01T00:00:00Z", ["2028-02-29T00:00"]],
  ["either day field can match", "0 0 13 * 5", "2026-02-01T00:00:00Z", ["2026-02-06T00:00"]],
  ["a weekday of any date", "0 0 * * 1", "2026-01-01T00:00:00Z", ["2026-01-05T00:00"]],
  [
    "a step restricts the day field, unlike a star",
    "0 0 */2 * 1",
    "2026-01-01T12:00:00Z",
    ["2026-01-03T00:00", "2026-01-05T00:00"],
  ],
  ["an interval", "@every 90s", "2026-01-01T00:00:00.700Z", ["2026-01-01T00:01"]],
  [
    "a schedule follows the local time of the zone",
    "0 9 * * *",
    "2026-01-01T00:00:00Z",
    ["2026-01-01T14:00"],
    NEW_YORK,
  ],
  [
    "a skipped time is skipped",
    "30 2 * * *",
    "2026-03-07T12:00:00Z",
    ["2026-03-09T06:30"],
    NEW_YORK,
  ],
  [
    "a repeated time comes twice",
    "30 1 * * *",
    "2026-10-31T12:00:00Z",
    ["2026-11-01T05:30", "2026-11-01T06:30", "2026-11-02T06:30"],
    NEW_YORK,
  ],
  [
    "a repeated hour comes whole, twice",
    "*/15 1 1 11 *",
    "2026-10-31T12:00:00Z",
    [
      "2026-11-01T05:00",
      "2026-11-01T05:15",
      "2026-11-01T05:30",
      "2026-11-01T05:45",
      "2026-11-01T06:00",
      "2026-11-01T06:15",
      "2026-11-01T06:30",
      "2026-11-01T06:45",
    ],
    NEW_YORK,
  ],
  [
    "a change of half an hour",
    "15 2 * * *",
    "2026-10-03T12:00:00Z",
    ["2026-10-04T15:15", "2026-10-05T15:15"],
    "Australia/Lord_Howe",
  ],
  [
    "a zone inside the schedule",
    "TZ=Asia/Tokyo 0 9 * * *",
    "2026-01-01T12:00:00Z",
    ["2026-01-02T00:00"],
  ],
])("%s", (_, text, from, expected, zone) => {
  expect(times(text, from, expected.length, zone)).toEqual(expected);
});

test("a date that does not exist is never due", () => {
  expect(nextTime(schedule("59 23 31 2 *"), Date.parse("2026-01-01"), "UTC")).toBeUndefined();
});

const field = (max: number, min = 0) =>
  fc.oneof(
    fc.constant("*"),
    fc.integer({ min, max }).map(String),
    fc.integer({ min: 2, max: 20 }).map((step) => `*/${step}`),
  );
const aSchedule = fc
  .tuple(field(59), field(23), fc.constant("*"), fc.constant("*"), field(6))
  .map((fields) => fields.join(" "));

test("the next time is the first minute whose local time matches the fields", () => {
  const zones = fc.constantFrom("UTC", NEW_YORK, "Europe/Berlin", "Australia/Lord_Howe");
  const starts = fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2027, 0) });
  fc.assert(
    fc.property(aSchedule, zones, starts, (text, zone, start) => {
      const parsed = schedule(text);
      const found = nextTime(parsed, start, zone) ?? 0;
      expect(shows(parsed, found, zone)).toBe(true);
      const firstMinute = Math.floor(start / 60_000) * 60_000 + 60_000;
      const lookedAt = Math.min(found, firstMinute + 3 * 86_400_000);
      for (let atMs = firstMinute; atMs < lookedAt; atMs += 60_000) {
        if (shows(parsed, atMs, zone)) throw new Error(`${new Date(atMs).toISOString()} is missed`);
      }
    }),
    { numRuns: 30 },
  );
});

function shows(parsed: Schedule, atMs: number, zone: string): boolean {
  if (parsed.kind !== "fields") return false;
  const wall = new Date(atMs + zoneOffsetMs(zone, atMs));
  return (
    parsed.minute.values.has(wall.getUTCMinutes()) &&
    parsed.hour.values.has(wall.getUTCHours()) &&
    parsed.dayOfWeek.values.has(wall.getUTCDay())
  );
}
