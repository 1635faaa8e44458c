/**
 * Pure: resource.Quantity: amounts such as "500m" and "1Gi", exact to a billionth.
 *
 * A quantity remembers which of three families of suffixes its text used. The canonical text uses
 * the largest suffix of that family for which no fraction is needed.
 */

export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

export interface Quantity {
  /** The amount in billionths. Kubernetes does not keep smaller fractions. */
  readonly nanos: bigint;
  readonly format: QuantityFormat;
}

export interface QuantityProblem {
  readonly problem: string;
}

const NANO = 1_000_000_000n;
const MAX_BINARY = (2n ** 63n - 1n) * NANO;
/** Larger exponents would only cost memory: no real amount needs them. */
const MAX_EXPONENT = 1000;

const FORMAT_WRONG: QuantityProblem = {
  problem:
    "quantities must match the regular expression " +
    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
};
const SUFFIX_WRONG: QuantityProblem = { problem: "unable to parse quantity's suffix" };

const DECIMAL_SUFFIXES: ReadonlyMap<string, number> = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["", 0],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);
const BINARY_SUFFIXES: readonly string[] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

const PARTS = /^[+-]?(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/;

/**
 * Longer texts are rejected: no real amount is that large, and parsing a megabyte of digits would
 * block the server.
 */
const LONGEST_TEXT = 1024;

/**
 * Amounts below a billionth are rounded away from zero, so that a request for some never becomes
 * zero.
 */
export function parseQuantity(text: string): Quantity | QuantityProblem {
  if (text === "" || text.length > LONGEST_TEXT) return FORMAT_WRONG;
  const match = PARTS.exec(text);
  if (match === null) return FORMAT_WRONG;
  const [, whole = "", fraction = "", suffix = ""] = match;
  const unit = parseSuffix(suffix);
  if (unit === undefined) return SUFFIX_WRONG;
  const digits = BigInt(`0${whole}${fraction}`);
  const magnitude = toNanos(digits * 2n ** BigInt(unit.binary), unit.decimal - fraction.length);
  const capped = unit.format === "BinarySI" && magnitude > MAX_BINARY ? MAX_BINARY : magnitude;
  const isFractionOfOne = capped > 0n && capped < NANO;
  const format = unit.format === "BinarySI" && isFractionOfOne ? "DecimalSI" : unit.format;
  return { nanos: text.startsWith("-") ? -capped : capped, format };
}

/**
 * The text that is stored for a quantity. A text with few digits whose suffix is already the
 * canonical one is kept as written ("01", "1E3", "5."); any other is replaced by the canonical
 * text.
 */
export function storedQuantity(text: string): string | QuantityProblem {
  const quantity = parseQuantity(text);
  if ("problem" in quantity) return quantity;
  return isKept(text) ? text : formatQuantity(quantity);
}

/** Rounds a stored amount up to a multiple of a thousandth, as defaulting does. */
export function roundedUpToMilli(text: string): string {
  const quantity = getQuantity(text);
  const rounded = roundUpToMilli(quantity);
  return rounded.nanos === quantity.nanos ? text : formatQuantity(rounded);
}

/** Parses a text that is known to be valid because it was decoded. */
export function getQuantity(text: string): Quantity {
  const quantity = parseQuantity(text);
  if ("problem" in quantity) throw new Error(`${text}: ${quantity.problem}`);
  return quantity;
}

/** The canonical text: 0.5 is "500m", 1024Mi is "1Gi". */
export function formatQuantity(quantity: Quantity): string {
  const { nanos, format } = quantity;
  if (nanos === 0n) return "0";
  if (format === "BinarySI" && isInteger(quantity) && magnitudeOf(nanos) >= 1024n * NANO) {
    return formatBinary(nanos / NANO);
  }
  return formatDecimal(nanos, format === "DecimalExponent");
}

export function compareQuantities(left: Quantity, right: Quantity): -1 | 0 | 1 {
  if (left.nanos === right.nanos) return 0;
  return left.nanos < right.nanos ? -1 : 1;
}

/** The sum keeps the format of the left side, unless that is zero. */
export function addQuantities(left: Quantity, right: Quantity): Quantity {
  return { nanos: left.nanos + right.nanos, format: isZero(left) ? right.format : left.format };
}

export function subtractQuantities(left: Quantity, right: Quantity): Quantity {
  return { nanos: left.nanos - right.nanos, format: isZero(left) ? right.format : left.format };
}

export function isZero(quantity: Quantity): boolean {
  return quantity.nanos === 0n;
}

export function isNegative(quantity: Quantity): boolean {
  return quantity.nanos < 0n;
}

export function isInteger(quantity: Quantity): boolean {
  return quantity.nanos % NANO === 0n;
}

/** The next larger multiple of a thousandth, as defaulting does with resource amounts. */
export function roundUpToMilli(quantity: Quantity): Quantity {
  const milli = NANO / 1000n;
  return { ...quantity, nanos: divideAwayFromZero(quantity.nanos, milli) * milli };
}

/** Whole units, fractions rounded away from zero: Go's Quantity.Value(). */
export function wholeUnits(quantity: Quantity): bigint {
  return divideAwayFromZero(quantity.nanos, NANO);
}

/** Thousandths, fractions rounded away from zero: Go's Quantity.MilliValue(). */
export function milliUnits(quantity: Quantity): bigint {
  return divideAwayFromZero(quantity.nanos, NANO / 1000n);
}

/** The number of digits that Go parses without big numbers. */
const FAST_DECIMAL_DIGITS = 18;
const FAST_BINARY_DIGITS = 14;

function isKept(text: string): boolean {
  const [, whole = "", fraction = "", suffix = ""] = PARTS.exec(text) ?? [];
  const unit = parseSuffix(suffix);
  if (unit === undefined) return false;
  const significant = whole.replace(/^0+/, "") || "0";
  const digits = `${significant}${fraction}`;
  if (unit.format === "BinarySI") {
    const room = FAST_BINARY_DIGITS - significant.length - Math.floor((unit.binary * 3) / 10);
    return fraction === "" && room >= 0 && Number(significant) % 8 !== 0;
  }
  const scale = unit.decimal - fraction.length;
  if (digits.length > FAST_DECIMAL_DIGITS || scale < -9) return false;
  return scale % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
}

interface Unit {
  readonly decimal: number;
  readonly binary: number;
  readonly format: QuantityFormat;
}

function parseSuffix(suffix: string): Unit | undefined {
  const decimal = DECIMAL_SUFFIXES.get(suffix);
  if (decimal !== undefined) return { decimal, binary: 0, format: "DecimalSI" };
  const binary = BINARY_SUFFIXES.indexOf(suffix);
  if (binary > 0) return { decimal: 0, binary: binary * 10, format: "BinarySI" };
  if (!/^[eE][-+]?\d+$/.test(suffix)) return undefined;
  const exponent = Number(suffix.slice(1));
  if (Math.abs(exponent) > MAX_EXPONENT) return undefined;
  return { decimal: exponent, binary: 0, format: "DecimalExponent" };
}

function toNanos(digits: bigint, exponent: number): bigint {
  const shift = exponent + 9;
  if (shift >= 0) return digits * 10n ** BigInt(shift);
  return divideAwayFromZero(digits, 10n ** BigInt(-shift));
}

function divideAwayFromZero(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  if (quotient * by === value) return quotient;
  return value < 0n ? quotient - 1n : quotient + 1n;
}

function magnitudeOf(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function formatBinary(units: bigint): string {
  let rest = units;
  let power = 0;
  while (power < BINARY_SUFFIXES.length - 1 && rest % 1024n === 0n) {
    rest /= 1024n;
    power += 1;
  }
  return `${rest}${BINARY_SUFFIXES[power]}`;
}

function formatDecimal(nanos: bigint, asExponent: boolean): string {
  let rest = nanos;
  let exponent = -9;
  while (rest % 1000n === 0n && (asExponent || exponent < 18)) {
    rest /= 1000n;
    exponent += 3;
  }
  if (!asExponent) return `${rest}${decimalSuffix(exponent)}`;
  return exponent === 0 ? String(rest) : `${rest}e${exponent}`;
}

function decimalSuffix(exponent: number): string {
  for (const [suffix, value] of DECIMAL_SUFFIXES) if (value === exponent) return suffix;
  throw new Error(`no suffix for ten to the power of ${exponent}`);
}
