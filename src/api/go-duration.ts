/**
 * Pure: durations as Go writes them, "1h15m30.5s".
 *
 * A request may send "1h" a million times, so the parts are read in place and summed as numbers as
 * long as these are exact.
 */
import { quote } from "./finding.ts";

export type ParsedDuration = { readonly nanoseconds: bigint } | { readonly problem: string };

/** By the codes of its characters, of which a unit has at most two. */
const UNITS: ReadonlyMap<number, number> = new Map(
  Object.entries({
    ns: 1,
    us: 1e3,
    "\u00b5s": 1e3,
    "\u03bcs": 1e3,
    ms: 1e6,
    s: 1e9,
    m: 60e9,
    h: 3600e9,
  }).map(([unit, size]) => [codeOf(unit, 0, unit.length), size]),
);
/** Of a negative duration; others are less. */
const MAX = 2n ** 63n;
/** More digits than MAX has. */
const TOO_MANY_DIGITS = 20;
const EXACT_DIGITS = 15;
const MOST_FRACTION = String(MAX);

export function parseGoDuration(text: string): ParsedDuration {
  const isNegative = text.startsWith("-");
  const from = isNegative || text.startsWith("+") ? 1 : 0;
  if (text.length === from + 1 && text.endsWith("0")) return { nanoseconds: 0n };
  const reader: Reader = { text, at: from, exact: 0n, small: 0 };
  do {
    const problem = readPart(reader);
    if (problem !== undefined) return { problem };
  } while (reader.at < text.length);
  const total = reader.exact + BigInt(reader.small);
  if (total > (isNegative ? MAX : MAX - 1n)) return { problem: malformed(text) };
  return { nanoseconds: isNegative ? -total : total };
}

interface Reader {
  readonly text: string;
  at: number;
  /** The sum is that of both. */
  exact: bigint;
  small: number;
}

/** Adds one number and its unit, or answers with what is wrong. */
function readPart(reader: Reader): string | undefined {
  const { text, at } = reader;
  const point = endOfDigits(text, at);
  const hasPoint = text.charCodeAt(point) === POINT;
  const numberEnd = hasPoint ? endOfDigits(text, point + 1) : point;
  if (numberEnd - at === (hasPoint ? 1 : 0)) return malformed(text);
  const whole = significant(text, at, point);
  if (point - whole >= TOO_MANY_DIGITS) return malformed(text);
  const end = endOfUnit(text, numberEnd);
  if (end === numberEnd) return `time: missing unit in duration ${quote(text)}`;
  const size = end - numberEnd > 2 ? undefined : UNITS.get(codeOf(text, numberEnd, end));
  if (size === undefined) {
    const unit = quote(text.slice(numberEnd, end));
    return `time: unknown unit ${unit} in duration ${quote(text)}`;
  }
  reader.at = end;
  addWhole(reader, { from: whole, to: point, size });
  if (numberEnd > point + 1) addFraction(reader, { from: point + 1, to: numberEnd, size });
  return reader.exact > MAX ? malformed(text) : undefined;
}

function malformed(text: string): string {
  return `time: invalid duration ${quote(text)}`;
}

interface Digits {
  readonly from: number;
  readonly to: number;
  /** Of the unit, in nanoseconds. */
  readonly size: number;
}

function addWhole(reader: Reader, { from, to, size }: Digits): void {
  const value = to - from > EXACT_DIGITS ? Number.NaN : readDigits(reader.text, from, to) * size;
  if (value <= Number.MAX_SAFE_INTEGER) addSmall(reader, value);
  else reader.exact += BigInt(reader.text.slice(from, to)) * BigInt(size);
}

/** Go computes it with floats as well, from as many digits as fit into 63 bits. */
function addFraction(reader: Reader, { from, to, size }: Digits): void {
  const { text } = reader;
  const first = significant(text, from, to);
  let end = Math.min(to, first + MOST_FRACTION.length);
  if (end - first === MOST_FRACTION.length && text.slice(first, end) > MOST_FRACTION) end -= 1;
  const isExact = end - first <= EXACT_DIGITS;
  const value = isExact ? readDigits(text, first, end) : Number(text.slice(first, end));
  addSmall(reader, Math.floor(value * (size / 10 ** (end - from))));
}

function addSmall(reader: Reader, value: number): void {
  if (reader.small + value > Number.MAX_SAFE_INTEGER) {
    reader.exact += BigInt(reader.small);
    reader.small = 0;
  }
  reader.small += value;
}

const ZERO = 0x30;
const NINE = 0x39;
const POINT = 0x2e;

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

function endOfDigits(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

function endOfUnit(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === POINT || isDigit(code)) break;
  }
  return at;
}

/** Past zeros that stand in front. */
function significant(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && text.charCodeAt(at) === ZERO) at += 1;
  return at;
}

function readDigits(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) value = value * 10 + text.charCodeAt(at) - ZERO;
  return value;
}

function codeOf(text: string, from: number, to: number): number {
  let code = 0;
  for (let at = from; at < to; at++) code = code * 0x10000 + text.charCodeAt(at);
  return code;
}
