/**
 * Pure: when a CronJob is due, parsed from its schedule.
 *
 * Five fields of "*", "?", lists, ranges, steps and names, or a descriptor such as "@daily" or
 * "@every 5m". Problems are worded as the parser Kubernetes uses words them.
 */
import { parseGoDuration } from "../go-duration.ts";
import { Malformed } from "./malformed.ts";
import { type Bounds, parseField, type ScheduleField } from "./schedule-field.ts";
import { joinFields, splitFields } from "./split-fields.ts";
import { isTimeZone } from "./time-zone.ts";

export interface ScheduleFields {
  readonly kind: "fields";
  readonly minute: ScheduleField;
  readonly hour: ScheduleField;
  readonly dayOfMonth: ScheduleField;
  readonly month: ScheduleField;
  /** 0 is Sunday. */
  readonly dayOfWeek: ScheduleField;
  /** Given as "TZ=…" in front of the fields. */
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
  // What Kubernetes says after its parser has stumbled.
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
  const { count, first } = splitFields(text, FIELDS);
  const [minute = "", hour = "", dayOfMonth = "", month = "", dayOfWeek = ""] = first;
  if (count !== FIELDS) throw wrongCount(text, count);
  return {
    kind: "fields",
    minute: parseField(minute, MINUTES),
    hour: parseField(hour, HOURS),
    dayOfMonth: parseField(dayOfMonth, DAYS),
    month: parseField(month, MONTHS),
    dayOfWeek: parseField(dayOfWeek, WEEKDAYS),
  };
}

const FIELDS = 5;

function wrongCount(text: string, count: number): Malformed {
  const found = `found ${count}: [${joinFields(text)}]`;
  return new Malformed(`expected exactly ${FIELDS} fields, ${found}`);
}
