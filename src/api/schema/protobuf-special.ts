/**
 * Pure: codecs for types whose wire format differs from their JSON: times, quantities, raw JSON.
 */
import type { Reader, Writer } from "protobufjs/minimal.js";
import { storedQuantity } from "../quantity.ts";
import {
  formatInstant,
  type Instant,
  parseTime,
  RFC3339,
  RFC3339_MICRO,
  type TimeLayout,
  ZERO_TIME_SECONDS,
} from "../time.ts";
import {
  expectWireType,
  int32,
  int64,
  LENGTH_DELIMITED,
  readMessage,
  tagOf,
  VARINT,
  type ValueCodec,
} from "./protobuf-value.ts";

/** Go ignores the nanoseconds of a Time, because its JSON has none. */
export const time: ValueCodec = {
  wireType: LENGTH_DELIMITED,
  read: (reader) => {
    const instant = readInstant(reader);
    return instant === null ? null : formatInstant({ ...instant, micros: 0 }, RFC3339);
  },
  toJson: (collected) => collected ?? null,
  write: (writer, value) => writeInstant(writer, value, RFC3339),
};

export const microTime: ValueCodec = {
  wireType: LENGTH_DELIMITED,
  read: (reader) => {
    const instant = readInstant(reader);
    if (instant === null) return null;
    if (instant.micros < 0 || instant.micros >= 1e6) throw new Error(OUT_OF_RANGE);
    return formatInstant(instant, RFC3339_MICRO);
  },
  toJson: (collected) => collected ?? null,
  write: (writer, value) => writeInstant(writer, value, RFC3339_MICRO),
};

/** {1: seconds, 2: nanoseconds}. The empty message is the zero time, while second 0 is 1970. */
function readInstant(reader: Reader): Instant | null {
  let seconds = 0;
  let nanos = 0;
  const isEmpty = readMessage(reader, "Timestamp", (number, wireType) => {
    if (number === 1) seconds = readNumber(int64, reader, wireType, "Seconds");
    else if (number === 2) nanos = readNumber(int32, reader, wireType, "Nanos");
    else return false;
    return true;
  });
  if (isEmpty) return null;
  if (seconds < ZERO_TIME_SECONDS || seconds >= YEAR_10000_SECONDS) throw new Error(OUT_OF_RANGE);
  return { seconds, micros: Math.floor(nanos / 1000) };
}

function readNumber(codec: ValueCodec, reader: Reader, wireType: number, field: string): number {
  expectWireType(wireType, codec.wireType, field);
  return codec.read(reader, 0, undefined) as number;
}

// JSON supports only years with four digits.
const YEAR_10000_SECONDS = 253_402_300_800;
const OUT_OF_RANGE = "proto: Timestamp: out of range";

function writeInstant(writer: Writer, value: unknown, layout: TimeLayout): void {
  writer.fork();
  if (typeof value === "string") {
    const instant = parseTime(value, layout);
    if ("problem" in instant) throw new TypeError(instant.problem);
    writer.uint32(tagOf(1, VARINT)).int64(instant.seconds);
    const nanos = layout === RFC3339 ? 0 : instant.micros * 1000;
    writer.uint32(tagOf(2, VARINT)).int32(nanos);
  }
  writer.ldelim();
}

export const quantity: ValueCodec = {
  wireType: LENGTH_DELIMITED,
  read: (reader) => {
    const text = readWrapped(reader, "Quantity");
    if (text === undefined) return "0";
    const stored = storedQuantity(text);
    if (typeof stored !== "string") throw new Error(stored.problem);
    return stored;
  },
  toJson: (collected) => collected ?? "0",
  write: (writer, value) => writeWrapped(writer, (value as string | null) ?? "0"),
};

export const intOrString: ValueCodec = {
  wireType: LENGTH_DELIMITED,
  read: (reader) => {
    let type = 0;
    let intValue = 0;
    let stringValue = "";
    readMessage(reader, "IntOrString", (number, wireType) => {
      if (number === 1) type = readNumber(int64, reader, wireType, "Type");
      else if (number === 2) intValue = readNumber(int32, reader, wireType, "IntVal");
      else if (number === 3) {
        expectWireType(wireType, LENGTH_DELIMITED, "StrVal");
        stringValue = reader.string();
      } else return false;
      return true;
    });
    if (type !== 0 && type !== 1) throw new Error("impossible IntOrString.Type");
    return type === 0 ? intValue : stringValue;
  },
  toJson: (collected) => collected ?? 0,
  write: (writer, value) => {
    const isString = typeof value === "string";
    writer
      .fork()
      .uint32(tagOf(1, VARINT))
      .int64(isString ? 1 : 0);
    writer.uint32(tagOf(2, VARINT)).int32(typeof value === "number" ? value : 0);
    writer
      .uint32(tagOf(3, LENGTH_DELIMITED))
      .string(isString ? value : "")
      .ldelim();
  },
};

/** RawExtension, FieldsV1 and JSON: JSON text in its own message, absent for null. */
export const rawJson: ValueCodec = {
  wireType: LENGTH_DELIMITED,
  read: (reader) => {
    const text = readWrapped(reader, "Raw");
    return text === undefined || text === "" ? null : JSON.parse(text);
  },
  toJson: (collected) => collected ?? null,
  write: (writer, value) => {
    const isNull = value === null || value === undefined;
    writeWrapped(writer, isNull ? undefined : JSON.stringify(value));
  },
};

function readWrapped(reader: Reader, struct: string): string | undefined {
  let text: string | undefined;
  readMessage(reader, struct, (number, wireType) => {
    if (number !== 1) return false;
    expectWireType(wireType, LENGTH_DELIMITED, struct);
    text = reader.string();
    return true;
  });
  return text;
}

function writeWrapped(writer: Writer, text: string | undefined): void {
  writer.fork();
  if (text !== undefined) writer.uint32(tagOf(1, LENGTH_DELIMITED)).string(text);
  writer.ldelim();
}

/** A named list of strings, which protobuf can only nest as a message: ExtraValue, Verbs. */
export const stringList: ValueCodec = {
  wireType: LENGTH_DELIMITED,
  read: (reader) => {
    const items: string[] = [];
    readMessage(reader, "Items", (number, wireType) => {
      if (number !== 1) return false;
      expectWireType(wireType, LENGTH_DELIMITED, "Items");
      items.push(reader.string());
      return true;
    });
    return items.length === 0 ? null : items;
  },
  toJson: (collected) => collected ?? null,
  write: (writer, value) => {
    writer.fork();
    for (const item of (value as readonly string[] | null) ?? []) {
      writer.uint32(tagOf(1, LENGTH_DELIMITED)).string(item);
    }
    writer.ldelim();
  },
};
