import fc from "fast-check";
import { expect, test } from "vitest";
import {
  formatInstant,
  formatMicroTime,
  formatTime,
  millisecondsOf,
  parseTime,
  RFC3339,
  RFC3339_MICRO,
  type TimeLayout,
} from "./time.ts";

test.each<[string, TimeLayout, string | undefined]>([
  ["2024-02-29T23:59:59Z", RFC3339, "2024-02-29T23:59:59Z"],
  ["2024-01-01T00:00:00.999999999Z", RFC3339, "2024-01-01T00:00:00Z"],
  ["2024-01-01T01:30:00+02:00", RFC3339, "2023-12-31T23:30:00Z"],
  ["2024-01-01T1:30:00Z", RFC3339, "2024-01-01T01:30:00Z"],
  ["0001-01-01T00:00:00Z", RFC3339, undefined],
  ["1969-12-31T23:59:59Z", RFC3339, "1969-12-31T23:59:59Z"],
  ["2024-01-01T00:00:01.000002Z", RFC3339_MICRO, "2024-01-01T00:00:01.000002Z"],
])("%s is canonically written in UTC", (text, layout, canonical) => {
  const instant = parseTime(text, layout);
  expect("problem" in instant ? instant.problem : formatInstant(instant, layout)).toBe(canonical);
});

const AS = ' as "2006-01-02T15:04:05Z07:00": cannot parse';

test.each([
  ["yesterday", `${AS} "yesterday" as "2006"`],
  ["", `${AS} "" as "2006"`],
  ["2024-01-01", `${AS} "" as "T"`],
  ["2024-01-01 00:00:00Z", `${AS} " 00:00:00Z" as "T"`],
  ["2024-1-01T00:00:00Z", `${AS} "1-01T00:00:00Z" as "01"`],
  ["2024-01-01T00:00:00", `${AS} "" as "Z07:00"`],
  ["2024-13-01T00:00:00Z", ": month out of range"],
  ["2024-02-30T00:00:00Z", ": day out of range"],
  ["2024-01-01T24:00:00Z", ": hour out of range"],
  ["2024-01-01T00:00:00Zx", ': extra text: "x"'],
])("%j is rejected with Go's message", (text, problem) => {
  expect(parseTime(text)).toEqual({ problem: `parsing time "${text}"${problem}` });
});

test("a MicroTime has exactly six decimals", () => {
  const text = "2024-01-01T00:00:01Z";
  expect(parseTime(text, RFC3339_MICRO)).toEqual({
    problem: `parsing time "${text}" as "${RFC3339_MICRO}": cannot parse "Z" as ".000000"`,
  });
});

test("formatting and parsing are inverses, and agree with Date", () => {
  const anySecond = fc.integer({ min: -62_000_000_000, max: 253_000_000_000 });
  fc.assert(
    fc.property(anySecond, (seconds) => {
      const text = formatTime(seconds * 1000);
      expect(text).toBe(new Date(seconds * 1000).toISOString().replace(".000Z", "Z"));
      expect(millisecondsOf(text)).toBe(seconds * 1000);
    }),
  );
});

test("a MicroTime keeps the milliseconds of the clock", () => {
  expect(formatMicroTime(1704067200123)).toBe("2024-01-01T00:00:00.123000Z");
});
