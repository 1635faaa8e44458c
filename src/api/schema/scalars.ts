/** Pure: how Go decodes the scalar values of an API object to their canonical JSON. */
import type { Json } from "../object.ts";
import { storedQuantity } from "../quantity.ts";
import { formatInstant, parseTime, RFC3339, RFC3339_MICRO, type TimeLayout } from "../time.ts";
import { canonicalBase64 } from "./base64.ts";
import { type ExactJson, NumberLiteral, toPlain } from "./parsed-json.ts";
import {
  DecodeError,
  describe,
  type Reading,
  saveMistake,
  saveNumberError,
  saveTypeError,
  typeErrorMessage,
} from "./reading.ts";
import type { Scalar } from "./tables.ts";

/** A value of some Go type: how it is decoded, and what its zero value prints as. */
export interface Codec {
  /**
   * Never called with null. Returns undefined after a mistake, which is recorded in the reading.
   * `known` is the value at the same place in the canonical object that this one is a changed copy
   * of.
   */
  readonly decode: (value: ExactJson, reading: Reading, known?: Json) => Json | undefined;
  readonly zero: () => Json;
}

/** `goType` is what Go prints for the type in its errors: "v1.PullPolicy" for a string. */
export function scalarCodec(scalar: Scalar, goType: string): Codec {
  switch (scalar) {
    case "string":
      return { decode: stringDecoder(goType), zero: () => "" };
    case "bool":
      return { decode: boolDecoder(goType), zero: () => false };
    case "int32":
      return { decode: (value, reading) => decodeInt32(value, reading, goType), zero: () => 0 };
    case "int64":
      return { decode: (value, reading) => decodeInt64(value, reading, goType), zero: () => 0 };
    case "float64":
      return { decode: (value, reading) => decodeFloat(value, reading, goType), zero: () => 0 };
    case "bytes":
      return { decode: (value, reading) => decodeBytes(value, reading, goType), zero: () => "" };
    case "Quantity":
      return { decode: decodeQuantity, zero: () => "0" };
    case "IntOrString":
      return { decode: decodeIntOrString, zero: () => 0 };
    case "Time":
      return { decode: timeDecoder(RFC3339), zero: () => null };
    case "MicroTime":
      return { decode: timeDecoder(RFC3339_MICRO), zero: () => null };
    case "RawExtension":
    case "FieldsV1":
    case "JSON":
      return { decode: toPlain, zero: () => null };
  }
}

function stringDecoder(goType: string): Codec["decode"] {
  return (value, reading) =>
    typeof value === "string" ? value : saveTypeError(reading, value, goType);
}

function boolDecoder(goType: string): Codec["decode"] {
  return (value, reading) =>
    typeof value === "boolean" ? value : saveTypeError(reading, value, goType);
}

function decodeInt32(value: ExactJson, reading: Reading, goType: string): Json | undefined {
  if (typeof value === "number" && value === (value | 0)) return value === 0 ? 0 : value;
  const literal = literalOf(value);
  if (literal === undefined) return saveTypeError(reading, value, goType);
  const integer = integerOf(literal);
  if (integer === undefined || BigInt.asIntN(32, integer) !== integer) {
    return saveNumberError(reading, literal, goType);
  }
  return Number(integer);
}

/** The largest double below 2^63, so that a printed value can be read back. */
const MAX_INT64_DOUBLE = 2 ** 63 - 1024;

/** Exact up to 2^53; beyond that the nearest double within the range of int64. */
function decodeInt64(value: ExactJson, reading: Reading, goType: string): Json | undefined {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value === 0 ? 0 : value;
  const literal = literalOf(value);
  if (literal === undefined) return saveTypeError(reading, value, goType);
  const integer = integerOf(literal);
  if (integer === undefined || BigInt.asIntN(64, integer) !== integer) {
    return saveNumberError(reading, literal, goType);
  }
  return Math.min(Number(integer), MAX_INT64_DOUBLE);
}

function decodeFloat(value: ExactJson, reading: Reading, goType: string): Json | undefined {
  if (typeof value === "number") return value;
  const literal = literalOf(value);
  if (literal === undefined) return saveTypeError(reading, value, goType);
  const number = Number(literal);
  return Number.isFinite(number) ? number : saveNumberError(reading, literal, goType);
}

function decodeBytes(value: ExactJson, reading: Reading, goType: string): Json | undefined {
  if (typeof value !== "string") return saveTypeError(reading, value, goType);
  const canonical = canonicalBase64(value);
  if ("text" in canonical) return canonical.text;
  return saveMistake(reading, `illegal base64 data at input byte ${canonical.at}`);
}

/** Texts that are already canonical; most quantities are. */
const CANONICAL_QUANTITY = /^[1-9]\d{0,2}(?:m|k|M|G|T|Ki|Mi|Gi|Ti)?$/;

function decodeQuantity(value: ExactJson): Json {
  const text = typeof value === "string" ? value : (literalOf(value) ?? "");
  if (CANONICAL_QUANTITY.test(text)) return text;
  const stored = storedQuantity(text.trim());
  if (typeof stored !== "string") throw new DecodeError(stored.problem);
  return stored;
}

function decodeIntOrString(value: ExactJson, reading: Reading): Json {
  if (typeof value === "string") return value;
  const literal = literalOf(value);
  const integer = literal === undefined ? undefined : integerOf(literal);
  if (integer !== undefined && BigInt.asIntN(32, integer) === integer) return Number(integer);
  const what = literal === undefined ? describe(value) : `number ${literal}`;
  throw new DecodeError(typeErrorMessage(reading, what, "int32"));
}

function timeDecoder(layout: TimeLayout): Codec["decode"] {
  return (value, reading) => {
    if (typeof value !== "string") {
      throw new DecodeError(typeErrorMessage(reading, describe(value), "string"));
    }
    const instant = parseTime(value, layout);
    if ("problem" in instant) throw new DecodeError(instant.problem);
    return formatInstant(instant, layout) ?? null;
  };
}

function literalOf(value: ExactJson): string | undefined {
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : formatNumber(value);
  return value instanceof NumberLiteral ? value.text : undefined;
}

/** Integers are printed in full: Go prints no exponent for them. */
function formatNumber(value: number): string {
  return Number.isInteger(value) ? BigInt(value).toString() : String(value);
}

/** More than an int64 has. */
const TOO_MANY_DIGITS = 21;

function integerOf(literal: string): bigint | undefined {
  if (literal.length >= TOO_MANY_DIGITS) return undefined;
  return /^-?\d+$/.test(literal) ? BigInt(literal) : undefined;
}
