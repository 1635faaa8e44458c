/**
 * Pure: codecs for messages, lists and maps on the wire, compiled once per message from the tables.
 *
 * Go writes fields in ascending order of their numbers, and writes a field that is not a pointer
 * even if it is zero. A field that is missing on the wire is therefore zero, too, and its omitempty
 * decides whether JSON shows that zero.
 */
import type { Reader, Writer } from "protobufjs/minimal.js";
import { setOwn } from "./parsed-json.ts";
import { intOrString, microTime, quantity, rawJson, stringList, time } from "./protobuf-special.ts";
import { findUnionCodec } from "./protobuf-union.ts";
import {
  bool,
  bytes,
  expectWireType,
  float64,
  int32,
  int64,
  LENGTH_DELIMITED,
  readFields,
  readMessage,
  string,
  tagOf,
  type ValueCodec,
} from "./protobuf-value.ts";
import { type FieldFacts, getMessage, parseType, type Scalar, structName } from "./tables.ts";

export interface MessageCodec extends ValueCodec {
  readonly readUntil: (reader: Reader, end: number, depth: number) => unknown;
  readonly writeFields: (writer: Writer, object: object) => void;
}

export function messageCodec(messageName: string): MessageCodec {
  const known = codecs.get(messageName);
  if (known !== undefined) return known;
  const codec = composeMessage(messageName);
  codecs.set(messageName, codec);
  return codec;
}

const codecs = new Map<string, MessageCodec>();

/** Only the schemas of CustomResourceDefinitions are recursive messages. */
const MAX_DEPTH = 200;

/** The values found on the wire, by position of the field in the message. */
type Collected = unknown[];

function composeMessage(messageName: string): MessageCodec {
  const struct = structName(messageName);
  // Compiled at first use, because a message may contain itself.
  let compiled: readonly Field[] | undefined;
  const fields = () => {
    compiled ??= getMessage(messageName).fields.map(composeField);
    return compiled;
  };
  const positions = new Map(
    getMessage(messageName).fields.map(({ number }, position) => [number, position]),
  );
  const onField = (reader: Reader, depth: number, into: Collected) => {
    return (number: number, wireType: number) => {
      const position = positions.get(number);
      const field = position === undefined ? undefined : fields()[position];
      if (position === undefined || field === undefined) return false;
      into[position] = field.collect(reader, wireType, depth, into[position]);
      return true;
    };
  };
  const writeFields = (writer: Writer, object: object) => {
    for (const field of fields()) field.write(writer, object as JsonObject);
  };
  return {
    wireType: LENGTH_DELIMITED,
    readUntil: (reader, end, depth) => {
      const into: Collected = [];
      readFields(reader, struct, end, onField(reader, depth, into));
      return into;
    },
    read: (reader, depth, before) => {
      if (depth > MAX_DEPTH) throw new Error("proto: exceeded max depth");
      const into = (before as Collected | undefined) ?? [];
      readMessage(reader, struct, onField(reader, depth + 1, into));
      return into;
    },
    toJson: (collected) => {
      const out: JsonObject = {};
      const from = (collected as Collected | undefined) ?? [];
      fields().forEach((field, position) => {
        field.print(from[position], out);
      });
      return out;
    },
    write: (writer, value) => {
      writer.fork();
      writeFields(writer, (value as object | null) ?? {});
      writer.ldelim();
    },
    writeFields,
  };
}

type JsonObject = { [key: string]: unknown };

interface Field {
  readonly collect: (reader: Reader, wireType: number, depth: number, before: unknown) => unknown;
  /** Adds the JSON of the field; undefined means that the field was not on the wire. */
  readonly print: (collected: unknown, out: JsonObject) => void;
  readonly write: (writer: Writer, object: JsonObject) => void;
}

function composeField(facts: FieldFacts): Field {
  if (facts.inline) return inlineField(facts);
  const type = parseType(facts.type);
  // A named list type is a message on the wire.
  if (type.kind === "list" && !facts.go.startsWith("[]") && facts.type === "[]string") {
    return valueField(facts, stringList);
  }
  if (type.kind === "list") return listField(facts, valueCodec(type.element, facts.go));
  if (type.kind === "map") return mapField(facts, valueCodec(type.element, facts.go));
  const codec = valueCodec(facts.type, facts.go);
  return facts.pointer || facts.type === "bytes"
    ? nilableField(facts, codec)
    : valueField(facts, codec);
}

const SCALAR_CODECS: { readonly [name in Scalar]: ValueCodec } = {
  string,
  bool,
  int32,
  int64,
  float64,
  bytes,
  Quantity: quantity,
  IntOrString: intOrString,
  Time: time,
  MicroTime: microTime,
  RawExtension: rawJson,
  FieldsV1: rawJson,
  JSON: rawJson,
};

function valueCodec(reference: string, go: string): ValueCodec {
  const type = parseType(reference);
  switch (type.kind) {
    case "scalar":
      return findUnionCodec(go, messageCodec) ?? SCALAR_CODECS[type.name];
    case "message":
      return messageCodec(type.name);
    default:
      // The only list of lists or map of lists in the tables is UserInfo.extra.
      return stringList;
  }
}

/** A struct that is nested on the wire, while its fields belong to the parent in JSON. */
function inlineField(facts: FieldFacts): Field {
  const codec = messageCodec(facts.type);
  const tag = tagOf(facts.number, codec.wireType);
  return {
    collect: (reader, wireType, depth, before) => {
      expectWireType(wireType, codec.wireType, structName(facts.type));
      return codec.read(reader, depth, before);
    },
    print: (collected, out) => {
      Object.assign(out, codec.toJson(collected));
    },
    write: (writer, object) => {
      writer.uint32(tag);
      codec.write(writer, object);
    },
  };
}

function valueField(facts: FieldFacts, codec: ValueCodec): Field {
  const { json, omitEmpty = false, omitZero = false } = facts;
  const tag = tagOf(facts.number, codec.wireType);
  return {
    collect: collectorOf(json, codec),
    print: (collected, out) => {
      const value = codec.toJson(collected);
      if (omitEmpty && value === codec.zero) return;
      if (omitZero && value === null) return;
      out[json] = value;
    },
    write: (writer, object) => {
      writer.uint32(tag);
      codec.write(writer, object[json]);
    },
  };
}

/** Pointers and byte slices, which are nil unless they are on the wire. */
function nilableField(facts: FieldFacts, codec: ValueCodec): Field {
  const { json, omitEmpty = false, pointer = false } = facts;
  const tag = tagOf(facts.number, codec.wireType);
  return {
    collect: collectorOf(json, codec),
    print: (collected, out) => {
      // A pointer to a zero time prints null, which is read back as a nil pointer.
      const value = collected === undefined ? null : codec.toJson(collected);
      const isEmpty = value === null || (!pointer && value === codec.zero);
      if (!(omitEmpty && isEmpty)) out[json] = value;
    },
    write: (writer, object) => {
      const value = object[json];
      if (value === undefined || value === null) return;
      writer.uint32(tag);
      codec.write(writer, value);
    },
  };
}

function collectorOf(json: string, codec: ValueCodec): Field["collect"] {
  return (reader, wireType, depth, before) => {
    expectWireType(wireType, codec.wireType, json);
    return codec.read(reader, depth, before);
  };
}

/** Go writes numbers one by one and also reads packed ones. */
function listField(facts: FieldFacts, codec: ValueCodec): Field {
  const { json, omitEmpty = false } = facts;
  const tag = tagOf(facts.number, codec.wireType);
  return {
    collect: (reader, wireType, depth, before) => {
      const items = (before as unknown[] | undefined) ?? [];
      if (wireType === LENGTH_DELIMITED && codec.wireType !== LENGTH_DELIMITED) {
        readPacked(reader, codec, items);
        return items;
      }
      expectWireType(wireType, codec.wireType, json);
      items.push(codec.read(reader, depth, undefined));
      return items;
    },
    print: (collected, out) => {
      const items = (collected as unknown[] | undefined) ?? [];
      if (items.length > 0) out[json] = items.map(codec.toJson);
      else if (!omitEmpty) out[json] = null;
    },
    write: (writer, object) => {
      for (const item of (object[json] as readonly unknown[] | null | undefined) ?? []) {
        writer.uint32(tag);
        codec.write(writer, item);
      }
    },
  };
}

function readPacked(reader: Reader, codec: ValueCodec, into: unknown[]): void {
  const end = reader.size() + reader.pos;
  if (end > reader.len) throw new RangeError("a length reaches beyond its message");
  while (reader.pos < end) into.push(codec.read(reader, 0, undefined));
  if (reader.pos > end) throw new RangeError("a number reaches beyond its list");
}

/** Entries {1: key, 2: value}, written in the order of their keys' bytes. */
function mapField(facts: FieldFacts, codec: ValueCodec): Field {
  const { json, omitEmpty = false } = facts;
  const tag = tagOf(facts.number, LENGTH_DELIMITED);
  const keyTag = tagOf(1, LENGTH_DELIMITED);
  const valueTag = tagOf(2, codec.wireType);
  return {
    collect: (reader, wireType, depth, before) => {
      expectWireType(wireType, LENGTH_DELIMITED, json);
      const entries = (before as Map<string, unknown> | undefined) ?? new Map<string, unknown>();
      return readEntry(reader, codec, depth, entries);
    },
    print: (collected, out) => {
      const entries = collected as Map<string, unknown> | undefined;
      if (entries !== undefined) out[json] = printEntries(entries, codec);
      else if (!omitEmpty) out[json] = null;
    },
    write: (writer, object) => {
      const entries = (object[json] as JsonObject | null | undefined) ?? {};
      for (const key of sortedByBytes(Object.keys(entries))) {
        writer.uint32(tag).fork().uint32(keyTag).string(key);
        // Go omits nil byte slices; every other value is written.
        if (codec !== bytes || entries[key] !== null) {
          writer.uint32(valueTag);
          codec.write(writer, entries[key]);
        }
        writer.ldelim();
      }
    },
  };
}

function readEntry(
  reader: Reader,
  codec: ValueCodec,
  depth: number,
  entries: Map<string, unknown>,
): Map<string, unknown> {
  let key = "";
  let value: unknown;
  readMessage(reader, "Entry", (number, wireType) => {
    if (number === 1) {
      expectWireType(wireType, LENGTH_DELIMITED, "key");
      key = reader.string();
    } else if (number === 2) {
      expectWireType(wireType, codec.wireType, "value");
      value = codec.read(reader, depth + 1, value);
    } else return false;
    return true;
  });
  return entries.set(key, value);
}

function printEntries(entries: Map<string, unknown>, codec: ValueCodec): JsonObject {
  const out: JsonObject = {};
  for (const key of sortedByBytes([...entries.keys()])) {
    const value = codec.toJson(entries.get(key));
    setOwn(out, key, value);
  }
  return out;
}

/** Go compares UTF-8 and JavaScript UTF-16, which differ for some characters. */
function sortedByBytes(keys: string[]): string[] {
  if (!keys.some((key) => /[\ud800-\uffff]/.test(key))) return keys.sort();
  return keys.sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
}
