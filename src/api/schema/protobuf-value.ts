/** Pure: codecs for scalars on the wire, and the functions that all codecs use. */
import type { Reader, Writer } from "protobufjs/minimal.js";

/**
 * The codec of one type. Reading has two steps because a message may arrive in pieces: `read`
 * collects them, and `toJson` returns what Go would print when all are collected.
 */
export interface ValueCodec {
  readonly wireType: number;
  /** Reads one value and merges it into the result of an earlier piece of the same field. */
  readonly read: (reader: Reader, depth: number, before: unknown) => unknown;
  /** What Go prints; undefined means that the field was not on the wire. */
  readonly toJson: (collected: unknown) => unknown;
  /** undefined and null mean Go's zero value. */
  readonly write: (writer: Writer, value: unknown) => void;
  /** The JSON that omitempty omits; types without one are always printed. */
  readonly zero?: unknown;
}

export const VARINT = 0;
export const FIXED64 = 1;
export const LENGTH_DELIMITED = 2;

export const string: ValueCodec = {
  wireType: LENGTH_DELIMITED,
  zero: "",
  read: (reader) => reader.string(),
  toJson: (collected) => collected ?? "",
  write: (writer, value) => writer.string((value as string | undefined) ?? ""),
};

export const bool: ValueCodec = {
  wireType: VARINT,
  zero: false,
  read: (reader) => reader.bool(),
  toJson: (collected) => collected ?? false,
  write: (writer, value) => writer.bool(value === true),
};

export const int32: ValueCodec = {
  wireType: VARINT,
  zero: 0,
  read: (reader) => reader.int32(),
  toJson: (collected) => collected ?? 0,
  write: (writer, value) => writer.int32((value as number | undefined) ?? 0),
};

export const int64: ValueCodec = {
  wireType: VARINT,
  zero: 0,
  read: readInt64,
  toJson: (collected) => collected ?? 0,
  write: (writer, value) => writer.int64((value as number | undefined) ?? 0),
};

/** Exact up to 2^53; beyond that the nearest double within the range of int64. */
function readInt64(reader: Reader): number {
  const { high, low } = reader.int64();
  return Math.min(high * 2 ** 32 + (low >>> 0), MAX_INT64_DOUBLE);
}

const MAX_INT64_DOUBLE = 2 ** 63 - 1024;

export const float64: ValueCodec = {
  wireType: FIXED64,
  zero: 0,
  read: (reader) => reader.double(),
  toJson: (collected) => collected ?? 0,
  write: (writer, value) => writer.double((value as number | undefined) ?? 0),
};

/** base64 in JSON. */
export const bytes: ValueCodec = {
  wireType: LENGTH_DELIMITED,
  zero: "",
  read: (reader) => Buffer.from(reader.bytes()).toString("base64"),
  toJson: (collected) => collected ?? "",
  write: (writer, value) => writer.bytes(Buffer.from((value as string | null) ?? "", "base64")),
};

/** Reads a nested message with its length; returns whether it was empty. */
export function readMessage(reader: Reader, struct: string, onField: OnField): boolean {
  const length = reader.size();
  if (length > 0) readFields(reader, struct, reader.pos + length, onField);
  return length === 0;
}

/** Reads the value of one field. Returns false if the field is unknown; then it is skipped. */
export type OnField = (number: number, wireType: number) => boolean;

/** The remaining number of fields, for readers with a limit. */
const valuesLeft = new WeakMap<Reader, number>();

export function limitValues(reader: Reader, most: number): void {
  valuesLeft.set(reader, most);
}

function countValue(reader: Reader): void {
  const left = valuesLeft.get(reader);
  if (left === undefined) return;
  if (left === 0) throw new Error("the message has too many fields and items");
  valuesLeft.set(reader, left - 1);
}

/** Limits the reader to the message, so that no value can reach into the enclosing one. */
export function readFields(reader: Reader, struct: string, end: number, onField: OnField): void {
  const limit = reader.len;
  if (end > limit) throw new RangeError("a length reaches beyond its message");
  reader.len = end;
  while (reader.pos < end) {
    const tag = reader.tag();
    const number = tag >>> 3;
    const wireType = tag & 7;
    if (number === 0) {
      throw new Error(`proto: ${struct}: illegal tag ${number} (wire type ${wireType})`);
    }
    if (wireType === END_GROUP) {
      throw new Error(`proto: ${struct}: wiretype end group for non-group`);
    }
    countValue(reader);
    if (!onField(number, wireType)) reader.skipType(wireType, 0, number);
  }
  reader.len = limit;
}

const END_GROUP = 4;

export function expectWireType(found: number, expected: number, field: string): void {
  if (found === expected) return;
  const goName = field.charAt(0).toUpperCase() + field.slice(1);
  throw new Error(`proto: wrong wireType = ${found} for field ${goName}`);
}

export function tagOf(number: number, wireType: number): number {
  return (number << 3) | wireType;
}
