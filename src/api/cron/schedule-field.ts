/**
 * Pure: one field of a schedule, such as "*", "1,15" or "mon-fri".
 *
 * A field may have as many expressions as a request body has room for, so the usual ones are read
 * in place: no text is cut out, and a range that was already added is not added again. Names of
 * unusual length, signs, long numbers and all mistakes are left to the exact reader below.
 */
import { quote } from "../finding.ts";
import { Malformed } from "./malformed.ts";

export interface ScheduleField {
  readonly values: ReadonlySet<number>;
  /** Not restricted: when both day fields are restricted, either of them may match. */
  readonly isStar: boolean;
}

export interface Bounds {
  readonly min: number;
  /** At most 59. */
  readonly max: number;
  /** In lower case, of three letters each. */
  readonly names: readonly string[];
}

export function parseField(field: string, bounds: Bounds): ScheduleField {
  const values = new Set<number>();
  const seen = new Set<number>();
  const reader: Reader = { field, at: 0, names: codesOf(bounds), ...NOTHING };
  let isStar = false;
  while (reader.at < field.length) {
    if (field.charCodeAt(reader.at) === COMMA) {
      reader.at += 1;
      continue;
    }
    if (!readUsual(reader, bounds)) readExactly(reader, bounds);
    isStar ||= reader.isStar && reader.step === 1;
    const { start, end, step } = reader;
    // Every step beyond the field does the same.
    const key = (start * KEY_BASE + end) * KEY_BASE + Math.min(step, KEY_BASE - 1);
    if (seen.has(key)) continue;
    seen.add(key);
    for (let value = start; value <= end; value += step) values.add(value);
  }
  return { values, isStar };
}

const KEY_BASE = 64;

interface Range {
  start: number;
  end: number;
  step: number;
  isStar: boolean;
}

/** Where in the field it is, and the range that was read last. */
interface Reader extends Range {
  readonly field: string;
  readonly names: ReadonlyMap<number, number>;
  at: number;
}

const NOTHING: Range = { start: 0, end: 0, step: 1, isStar: false };

const COMMA = 0x2c;
const HYPHEN = 0x2d;
const SLASH = 0x2f;
const STAR = 0x2a;
const QUESTION_MARK = 0x3f;
const ZERO = 0x30;
const NINE = 0x39;
/** Set in the codes of small letters, and not in those of capitals. */
const SMALL = 0x20;
const MOST_USUAL_DIGITS = 9;
const NOT_READ = -1;

/** Reads up to the next comma. If it answers false, nothing was read. */
function readUsual(reader: Reader, bounds: Bounds): boolean {
  const { field, at: from } = reader;
  const first = field.charCodeAt(from);
  let isRange = false;
  reader.isStar = first === STAR || first === QUESTION_MARK;
  if (reader.isStar) {
    reader.at += 1;
    reader.start = bounds.min;
    reader.end = bounds.max;
  } else {
    reader.start = readValue(reader);
    reader.end = reader.start;
    isRange = field.charCodeAt(reader.at) === HYPHEN;
    if (isRange) {
      reader.at += 1;
      reader.end = readValue(reader);
    }
  }
  reader.step = 1;
  if (field.charCodeAt(reader.at) === SLASH) {
    reader.at += 1;
    reader.step = readNumber(reader);
    if (!isRange) reader.end = bounds.max;
  }
  if (isUsual(reader, bounds)) return true;
  reader.at = from;
  return false;
}

function isUsual({ field, at, start, end, step }: Reader, { min, max }: Bounds): boolean {
  if (at < field.length && field.charCodeAt(at) !== COMMA) return false;
  return start >= min && end <= max && start <= end && step > 0;
}

function readValue(reader: Reader): number {
  const { field, at, names } = reader;
  const number = readNumber(reader);
  if (number !== NOT_READ || names.size === 0 || at + 3 > field.length) return number;
  const named = names.get(codeAt(field, at));
  if (named === undefined) return NOT_READ;
  reader.at += 3;
  return named;
}

function readNumber(reader: Reader): number {
  const { field, at } = reader;
  let [end, value] = [at, 0];
  for (; end < field.length && end - at < MOST_USUAL_DIGITS; end++) {
    const code = field.charCodeAt(end);
    if (code < ZERO || code > NINE) break;
    value = value * 10 + code - ZERO;
  }
  reader.at = end;
  return end === at ? NOT_READ : value;
}

function codesOf({ min, names }: Bounds): ReadonlyMap<number, number> {
  return new Map(names.map((name, at) => [codeAt(name, 0), min + at]));
}

function codeAt(text: string, at: number): number {
  let code = 0;
  for (let letter = at; letter < at + 3; letter++) {
    code = code * 0x10000 + (text.charCodeAt(letter) | SMALL);
  }
  return code;
}

function readExactly(reader: Reader, bounds: Bounds): void {
  const { field, at } = reader;
  const comma = field.indexOf(",", at);
  reader.at = comma < 0 ? field.length : comma;
  Object.assign(reader, parseRange(field.slice(at, reader.at), bounds));
}

function parseRange(expression: string, bounds: Bounds): Range {
  const [range = "", stepText, tooManySlashes] = expression.split("/", 3);
  const [low = "", high, tooManyHyphens] = range.split("-", 3);
  const isStar = low === "*" || low === "?";
  const start = isStar ? bounds.min : parseValue(low, bounds);
  let end = bounds.max;
  if (!isStar) {
    end = high === undefined ? start : parseValue(high, bounds);
    if (tooManyHyphens !== undefined) throw new Malformed(`too many hyphens: ${expression}`);
  }
  if (tooManySlashes !== undefined) throw new Malformed(`too many slashes: ${expression}`);
  const step = stepText === undefined ? 1 : parseInteger(stepText);
  // "5/15" goes on to the end of the field.
  if (stepText !== undefined && high === undefined) end = bounds.max;
  checkRange({ start, end, step }, bounds, expression);
  return { start, end, step, isStar };
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
  const named = text.length === 3 ? names.indexOf(text.toLowerCase()) : -1;
  return named < 0 ? parseInteger(text) : named + min;
}

const INT64_MAX = 2n ** 63n - 1n;
const INT64_DIGITS = 19;

function parseInteger(text: string): number {
  const failed = (reason: string) =>
    new Malformed(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${quote(text)}: ${reason}`,
    );
  if (!/^[+-]?[0-9]+$/.test(text)) throw failed("invalid syntax");
  const digits = text.replace(/^[+-]?0*(?=[0-9])/, "");
  if (digits.length > INT64_DIGITS) throw failed("value out of range");
  const value = text.startsWith("-") ? -BigInt(digits) : BigInt(digits);
  if (value > INT64_MAX || value < -INT64_MAX - 1n) throw failed("value out of range");
  if (value < 0n) throw new Malformed(`negative number (${value}) not allowed: ${text}`);
  return Number(value);
}
