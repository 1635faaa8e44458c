/**
 * Pure: metav1.Time and metav1.MicroTime: RFC 3339 texts, parsed by the rules of Go's time.Parse.
 */

export type TimeLayout = "2006-01-02T15:04:05Z07:00" | "2006-01-02T15:04:05.000000Z07:00";

export const RFC3339: TimeLayout = "2006-01-02T15:04:05Z07:00";
export const RFC3339_MICRO: TimeLayout = "2006-01-02T15:04:05.000000Z07:00";

/** A moment: whole seconds since 1970 and the microseconds above them. */
export interface Instant {
  readonly seconds: number;
  readonly micros: number;
}

export interface TimeProblem {
  /** Go's message: `parsing time "x" as "…": cannot parse "x" as "2006"`. */
  readonly problem: string;
}

/** Go's zero time, which the API prints as null. */
export const ZERO_TIME_SECONDS = -62135596800;

export function parseTime(text: string, layout: TimeLayout = RFC3339): Instant | TimeProblem {
  const cursor: Cursor = { layout, text, rest: text };
  const parts = readParts(cursor);
  if ("problem" in parts) return parts;
  if (parts.day < 1 || parts.day > daysIn(parts)) {
    return { problem: `parsing time ${quoteTime(text)}: day out of range` };
  }
  const days = daysFromCivil(parts);
  const seconds = days * 86400 + parts.hour * 3600 + parts.minute * 60 + parts.second;
  return { seconds: seconds - parts.offset, micros: parts.micros };
}

/** Milliseconds since 1970 of a time that is known to be valid because it was decoded. */
export function millisecondsOf(text: string): number {
  const instant = parseTime(text);
  if ("problem" in instant) throw new Error(instant.problem);
  return instant.seconds * 1000 + Math.floor(instant.micros / 1000);
}

/** "2024-01-02T03:04:05Z": what the API prints, always in UTC and without fractions. */
export function formatTime(milliseconds: number): string {
  return `${formatSeconds(Math.floor(milliseconds / 1000))}Z`;
}

/** "2024-01-02T03:04:05.000006Z" */
export function formatMicroTime(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  return formatMicros({ seconds, micros: Math.round(milliseconds * 1000 - seconds * 1e6) });
}

/** The canonical text of an instant; undefined for Go's zero time. */
export function formatInstant(instant: Instant, layout: TimeLayout): string | undefined {
  if (instant.seconds === ZERO_TIME_SECONDS && instant.micros === 0) return undefined;
  return layout === RFC3339 ? `${formatSeconds(instant.seconds)}Z` : formatMicros(instant);
}

function formatMicros({ seconds, micros }: Instant): string {
  return `${formatSeconds(seconds)}.${String(micros).padStart(6, "0")}Z`;
}

function formatSeconds(seconds: number): string {
  const days = Math.floor(seconds / 86400);
  const second = seconds - days * 86400;
  const { year, month, day } = civilFromDays(days);
  const date = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
  const clock = [Math.floor(second / 3600), Math.floor(second / 60) % 60, second % 60];
  return `${date}T${clock.map(two).join(":")}`;
}

function two(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

interface CivilDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

interface Parts extends CivilDate {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly micros: number;
  /** Seconds east of UTC. */
  readonly offset: number;
}

interface Cursor {
  readonly layout: TimeLayout;
  readonly text: string;
  rest: string;
}

function readParts(cursor: Cursor): Parts | TimeProblem {
  try {
    const year = readYear(cursor);
    skip(cursor, "-");
    const month = readTwo(cursor, "01", { name: "month", from: 1, to: 12 });
    skip(cursor, "-");
    const day = readTwo(cursor, "02");
    skip(cursor, "T");
    const hour = readHour(cursor);
    skip(cursor, ":");
    const minute = readTwo(cursor, "04", { name: "minute", from: 0, to: 59 });
    skip(cursor, ":");
    const second = readTwo(cursor, "05", { name: "second", from: 0, to: 59 });
    const micros = readFraction(cursor);
    const offset = readOffset(cursor);
    if (cursor.rest !== "") throw fault(cursor, `extra text: ${quoteTime(cursor.rest)}`);
    return { year, month, day, hour, minute, second, micros, offset };
  } catch (error) {
    if (error instanceof TimeFault) return { problem: error.message };
    throw error;
  }
}

/** Aborts the parsing from any depth; used only within this file. */
class TimeFault extends Error {}

function fault({ text }: Cursor, detail: string): TimeFault {
  return new TimeFault(`parsing time ${quoteTime(text)}: ${detail}`);
}

function mismatch({ text, layout, rest }: Cursor, element: string): TimeFault {
  const whole = `parsing time ${quoteTime(text)} as ${quoteTime(layout)}`;
  return new TimeFault(`${whole}: cannot parse ${quoteTime(rest)} as ${quoteTime(element)}`);
}

function take(cursor: Cursor, length: number): string {
  const taken = cursor.rest.slice(0, length);
  cursor.rest = cursor.rest.slice(length);
  return taken;
}

function skip(cursor: Cursor, literal: string): void {
  if (!cursor.rest.startsWith(literal)) throw mismatch(cursor, literal);
  take(cursor, 1);
}

function readYear(cursor: Cursor): number {
  if (!/^\d{4}/.test(cursor.rest)) throw mismatch(cursor, "2006");
  return Number(take(cursor, 4));
}

interface Range {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

function readTwo(cursor: Cursor, element: string, range?: Range): number {
  if (!/^\d\d/.test(cursor.rest)) throw mismatch(cursor, element);
  const value = Number(take(cursor, 2));
  if (range && (value < range.from || value > range.to)) {
    throw fault(cursor, `${range.name} out of range`);
  }
  return value;
}

/** Go accepts an hour of one digit. */
function readHour(cursor: Cursor): number {
  const digits = /^\d\d?/.exec(cursor.rest)?.[0];
  if (digits === undefined) throw mismatch(cursor, "15");
  take(cursor, digits.length);
  if (Number(digits) >= 24) throw fault(cursor, "hour out of range");
  return Number(digits);
}

/** A Time may have any fraction, which is dropped later. A MicroTime must have six digits. */
function readFraction(cursor: Cursor): number {
  const exact = cursor.layout === RFC3339_MICRO;
  const fraction = (exact ? /^[.,]\d{6}/ : /^[.,]\d+/).exec(cursor.rest)?.[0];
  if (fraction !== undefined) {
    take(cursor, fraction.length);
    return Number(fraction.slice(1, 7).padEnd(6, "0"));
  }
  if (exact) throw mismatch(cursor, ".000000");
  return 0;
}

function readOffset(cursor: Cursor): number {
  if (cursor.rest.startsWith("Z")) {
    take(cursor, 1);
    return 0;
  }
  const match = /^([+-])(\d\d):(\d\d)/.exec(cursor.rest);
  if (match === null) throw mismatch(cursor, "Z07:00");
  const [whole, sign, hours, minutes] = match;
  take(cursor, whole.length);
  if (Number(hours) > 24) throw fault(cursor, "time zone offset hour out of range");
  if (Number(minutes) > 60) throw fault(cursor, "time zone offset minute out of range");
  const seconds = (Number(hours) * 60 + Number(minutes)) * 60;
  return sign === "-" ? -seconds : seconds;
}

/** Go's time package has its own %q: everything outside ASCII is escaped byte by byte. */
function quoteTime(text: string): string {
  let out = '"';
  for (const byte of new TextEncoder().encode(text)) {
    const char = String.fromCharCode(byte);
    if (char === '"' || char === "\\") out += `\\${char}`;
    else if (byte < 0x20 || byte >= 0x80) out += `\\x${byte.toString(16).padStart(2, "0")}`;
    else out += char;
  }
  return `${out}"`;
}

function daysIn({ year, month }: CivilDate): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

const DAYS_PER_ERA = 146097;
const DAYS_FROM_MARCH_0000_TO_1970 = 719468;

/** Counts years from March, so that the leap day is the last day of its year. */
function daysFromCivil({ year, month, day }: CivilDate): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_PER_ERA + dayOfEra - DAYS_FROM_MARCH_0000_TO_1970;
}

function civilFromDays(days: number): CivilDate {
  const shifted = days + DAYS_FROM_MARCH_0000_TO_1970;
  const era = Math.floor(shifted / DAYS_PER_ERA);
  const dayOfEra = shifted - era * DAYS_PER_ERA;
  const leaps =
    Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36524) + Math.floor(dayOfEra / 146096);
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365);
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1;
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}
