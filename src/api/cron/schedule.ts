/**
 * Pure: parses the schedule of a CronJob.
 *
 * A schedule has five fields of "*", "?", lists, ranges, steps and names, or is a descriptor such
 * as "@daily" or "@every 5m". Problems are worded like those of the parser that Kubernetes uses.
 */
import { quote } from "../finding.ts";
import { parseGoDuration } from "../go-duration.ts";
import { isTimeZone } from "./time-zone.ts";

export interface ScheduleField {
  readonly values: ReadonlySet<number>;
  /**
   * The field is not restricted. If both day fields are restricted, a match of either is
   * sufficient.
   */
  readonly isStar: boolean;
}

export interface ScheduleFields {
  readonly kind: "fields";
  readonly minute: ScheduleField;
  readonly hour: ScheduleField;
  readonly dayOfMonth: ScheduleField;
  readonly month: ScheduleField;
  /** 0 is Sunday. */
  readonly dayOfWeek: ScheduleField;
  /** Specified as "TZ=…" before the fields. */
  readonly timeZone?: string;
}

export interface EverySchedule {
  readonly kind: "every";
  /** Whole seconds, at least one. */
  readonly seconds: number;
}

export type Schedule = ScheduleFields | EverySchedule;
export type ParsedSchedule = Schedule | { readonly kind: "problem"; readonly problem: string };

export function parseSchedule(text: string): ParsedSchedule {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof Malformed) return { kind: "problem", problem: error.message };
    throw error;
  }
}

/** Used only within this file. */
class Malformed extends Error {}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
}

const MINUTES: Bounds = { min: 0, max: 59, names: [] };
const HOURS: Bounds = { min: 0, max: 23, names: [] };
const DAYS: Bounds = { min: 1, max: 31, names: [] };
const MONTHS: Bounds = {
  min: 1,
  max: 12,
  names: "jan feb mar apr may jun jul aug sep oct nov dec".split(" "),
};
const WEEKDAYS: Bounds = { min: 0, max: 6, names: "sun mon tue wed thu fri sat".split(" ") };

const DESCRIPTORS: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

function parse(text: string): Schedule {
  if (text === "") throw new Malformed("empty spec string");
  if (!/^(CRON_)?TZ=/.test(text)) return parseZoneless(text);
  const space = text.indexOf(" ");
  // The message of Kubernetes for a panic of its parser.
  if (space < 0) throw new Malformed(`invalid schedule format: ${NO_SPACE}`);
  const timeZone = /=([^ ]*)/.exec(text)?.[1] ?? "";
  if (timeZone !== "" && !isTimeZone(timeZone)) {
    throw new Malformed(`provided bad location ${timeZone}: unknown time zone ${timeZone}`);
  }
  const schedule = parseZoneless(text.slice(space).trim());
  return schedule.kind === "fields" ? { ...schedule, timeZone: timeZone || "UTC" } : schedule;
}

const NO_SPACE = "runtime error: slice bounds out of range [:-1]";

function parseZoneless(text: string): Schedule {
  return text.startsWith("@") ? parseDescriptor(text) : parseFields(text);
}

function parseDescriptor(text: string): Schedule {
  const fields = DESCRIPTORS.get(text);
  if (fields !== undefined) return parseFields(fields);
  const every = "@every ";
  if (!text.startsWith(every)) throw new Malformed(`unrecognized descriptor: ${text}`);
  const duration = parseGoDuration(text.slice(every.length));
  if ("problem" in duration) {
    throw new Malformed(`failed to parse duration ${text}: ${duration.problem}`);
  }
  const seconds = Number(duration.nanoseconds / 1_000_000_000n);
  return { kind: "every", seconds: Math.max(1, seconds) };
}

function parseFields(text: string): ScheduleFields {
  const fields = text.split(/\s+/).filter((field) => field !== "");
  const [minute, hour, dayOfMonth, month, dayOfWeek, ...more] = fields;
  if (dayOfWeek === undefined || more.length > 0) {
    const found = `found ${fields.length}: [${fields.join(" ")}]`;
    throw new Malformed(`expected exactly 5 fields, ${found}`);
  }
  return {
    kind: "fields",
    minute: parseField(minute ?? "", MINUTES),
    hour: parseField(hour ?? "", HOURS),
    dayOfMonth: parseField(dayOfMonth ?? "", DAYS),
    month: parseField(month ?? "", MONTHS),
    dayOfWeek: parseField(dayOfWeek, WEEKDAYS),
  };
}

function parseField(field: string, bounds: Bounds): ScheduleField {
  const ranges = field.split(",").filter((expression) => expression !== "");
  const parsed = ranges.map((expression) => parseRange(expression, bounds));
  return {
    values: new Set(parsed.flatMap((range) => [...range.values])),
    isStar: parsed.some((range) => range.isStar),
  };
}

function parseRange(expression: string, bounds: Bounds): ScheduleField {
  const [range = "", stepText, ...moreSteps] = expression.split("/");
  const [low = "", high, ...moreLimits] = range.split("-");
  const isStar = low === "*" || low === "?";
  const start = isStar ? bounds.min : parseValue(low, bounds);
  let end = bounds.max;
  if (!isStar) {
    end = high === undefined ? start : parseValue(high, bounds);
    if (moreLimits.length > 0) throw new Malformed(`too many hyphens: ${expression}`);
  }
  if (moreSteps.length > 0) throw new Malformed(`too many slashes: ${expression}`);
  const step = stepText === undefined ? 1 : parseInteger(stepText);
  // "5/15" runs to the end of the field.
  if (stepText !== undefined && high === undefined) end = bounds.max;
  checkRange({ start, end, step }, bounds, expression);
  const values = new Set<number>();
  for (let value = start; value <= end; value += step) values.add(value);
  return { values, isStar: isStar && step <= 1 };
}

function checkRange(
  { start, end, step }: { start: number; end: number; step: number },
  { min, max }: Bounds,
  expression: string,
): void {
  const first = `beginning of range (${start})`;
  if (start < min) throw new Malformed(`${first} below minimum (${min}): ${expression}`);
  const last = `end of range (${end})`;
  if (end > max) throw new Malformed(`${last} above maximum (${max}): ${expression}`);
  if (start > end) throw new Malformed(`${first} beyond ${last}: ${expression}`);
  if (step === 0) {
    throw new Malformed(`step of range should be a positive number: ${expression}`);
  }
}

function parseValue(text: string, { min, names }: Bounds): number {
  const named = names.indexOf(text.toLowerCase());
  return named < 0 ? parseInteger(text) : named + min;
}

const INT64_MAX = 2n ** 63n - 1n;

function parseInteger(text: string): number {
  const failed = (reason: string) =>
    new Malformed(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${quote(text)}: ${reason}`,
    );
  if (!/^[+-]?[0-9]+$/.test(text)) throw failed("invalid syntax");
  const value = BigInt(text.replace(/^\+/, ""));
  if (value > INT64_MAX || value < -INT64_MAX - 1n) throw failed("value out of range");
  if (value < 0n) throw new Malformed(`negative number (${value}) not allowed: ${text}`);
  return Number(value);
}
