import { expect, test } from "vitest";
import { parseSchedule } from "./schedule.ts";
import type { ScheduleField } from "./schedule-field.ts";

function valuesOf(field: ScheduleField): number[] {
  return [...field.values].sort((a, b) => a - b);
}

test("fields are lists, ranges, steps and names", () => {
  const schedule = parseSchedule("*/15 0-6,22 1,15 JAN-mar,12 MON-FRI");
  if (schedule.kind !== "fields") throw new Error("not a schedule of fields");
  expect(valuesOf(schedule.minute)).toEqual([0, 15, 30, 45]);
  expect(valuesOf(schedule.hour)).toEqual([0, 1, 2, 3, 4, 5, 6, 22]);
  expect(valuesOf(schedule.dayOfMonth)).toEqual([1, 15]);
  expect(valuesOf(schedule.month)).toEqual([1, 2, 3, 12]);
  expect(valuesOf(schedule.dayOfWeek)).toEqual([1, 2, 3, 4, 5]);
});

test("a star with a step above 1 is a restriction", () => {
  const schedule = parseSchedule("* */1 ? */2 1,*");
  if (schedule.kind !== "fields") throw new Error("not a schedule of fields");
  const { minute, hour, dayOfMonth, month, dayOfWeek } = schedule;
  const stars = [minute, hour, dayOfMonth, month, dayOfWeek].map((field) => field.isStar);
  expect(stars).toEqual([true, true, true, false, true]);
});

test("a number with a step runs to the end of the field", () => {
  const schedule = parseSchedule("50/4 * * * *");
  if (schedule.kind !== "fields") throw new Error("not a schedule of fields");
  expect(valuesOf(schedule.minute)).toEqual([50, 54, 58]);
});

test("a time zone can precede the fields", () => {
  expect(parseSchedule("CRON_TZ=Europe/Paris 0 * * * *")).toMatchObject({
    timeZone: "Europe/Paris",
  });
  expect(parseSchedule("TZ=UTC")).toEqual({
    kind: "problem",
    problem: "invalid schedule format: runtime error: slice bounds out of range [:-1]",
  });
  expect(parseSchedule("TZ=Mars/X 0 * * * *")).toEqual({
    kind: "problem",
    problem: "provided bad location Mars/X: unknown time zone Mars/X",
  });
});

test.each([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
])("%s is %s", (descriptor, fields) => {
  expect(parseSchedule(descriptor)).toEqual(parseSchedule(fields));
});

test.each([
  ["@every 5m", 300],
  ["@every 1h15m30.9s", 4530],
  ["@every 10ms", 1],
  ["@every -5m", 1],
])("%s runs every %d seconds", (text, seconds) => {
  expect(parseSchedule(text)).toEqual({ kind: "every", seconds });
});

test.each([
  ["", "empty spec string"],
  ["nope", "expected exactly 5 fields, found 1: [nope]"],
  ["* * * * * *", "expected exactly 5 fields, found 6: [* * * * * *]"],
  [" @daily", "expected exactly 5 fields, found 1: [@daily]"],
  ["@sometimes", "unrecognized descriptor: @sometimes"],
  ["@every 5", 'failed to parse duration @every 5: time: missing unit in duration "5"'],
  ["@every x", 'failed to parse duration @every x: time: invalid duration "x"'],
  ["@every 5x", 'failed to parse duration @every 5x: time: unknown unit "x" in duration "5x"'],
  ["a * * * *", 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'],
  ["1- * * * *", 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
  ["60 * * * *", "end of range (60) above maximum (59): 60"],
  ["* 24 * * *", "end of range (24) above maximum (23): 24"],
  ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
  ["* * * 13 *", "end of range (13) above maximum (12): 13"],
  ["* * * * 7", "end of range (7) above maximum (6): 7"],
  ["5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"],
  ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
  ["1/2/3 * * * *", "too many slashes: 1/2/3"],
  ["*/0 * * * *", "step of range should be a positive number: */0"],
  ["*/-1 * * * *", "negative number (-1) not allowed: -1"],
  [
    "99999999999999999999 * * * *",
    "failed to parse int from 99999999999999999999: " +
      'strconv.Atoi: parsing "99999999999999999999": value out of range',
  ],
])("%j is refused: %s", (text, problem) => {
  expect(parseSchedule(text)).toEqual({ kind: "problem", problem });
});
