/**
 * Pure: Kubernetes' protobuf bodies, read into canonical objects and written as Go writes them.
 *
 * Reading order: this file (the envelope and the entry points), protobuf-message.ts (messages,
 * lists and maps, from the tables), protobuf-value.ts (scalars), protobuf-special.ts (types with
 * their own wire format), protobuf-union.ts (the three either-or types of
 * CustomResourceDefinitions). Nothing here knows a kind or a verb.
 */
import { Reader, Writer } from "protobufjs/minimal.js";
import { ApiError, badRequest } from "../errors.ts";
import type { Draft } from "../object.ts";
import { messageCodec } from "./protobuf-message.ts";
import { limitValues } from "./protobuf-value.ts";

export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly message: Uint8Array;
}

/**
 * Reads the envelope of a body: the magic number and runtime.Unknown. Malformed input, here and in
 * decodeMessage, is an ApiError 400 with the message of Go's decoder.
 */
export function decodeProtobuf(bytes: Uint8Array): Envelope {
  if (bytes.length === 0) throw badRequest("empty data");
  if (!MAGIC.every((byte, index) => bytes[index] === byte)) {
    const prefix = `[${MAGIC.join(" ")}]`;
    const problem = "provided data does not appear to be a protobuf message";
    throw badRequest(`${problem}, expected prefix ${prefix}`);
  }
  if (bytes.length === MAGIC.length) throw badRequest("empty body");
  return refusingMalformed(() => readUnknown(readerOf(bytes.subarray(MAGIC.length))));
}

/** The canonical object of a message, without apiVersion and kind, which only the envelope has. */
export function decodeMessage<T extends object>(
  messageName: string,
  bytes: Uint8Array,
  mostValues?: number,
): Draft<T> {
  const codec = messageCodec(messageName);
  return refusingMalformed(() => {
    const reader = readerOf(bytes);
    if (mostValues !== undefined) limitValues(reader, mostValues);
    return codec.toJson(codec.readUntil(reader, reader.len, 0)) as Draft<T>;
  });
}

/** The body for an object that carries its apiVersion and kind. */
export function encodeProtobuf(
  object: { readonly apiVersion: string; readonly kind: string },
  messageName: string,
): Uint8Array {
  const writer = Writer.create();
  for (const byte of MAGIC) writer.uint32(byte);
  writer.uint32(tag(1)).fork();
  writer.uint32(tag(1)).string(object.apiVersion).uint32(tag(2)).string(object.kind).ldelim();
  writer.uint32(tag(2)).fork();
  messageCodec(messageName).writeFields(writer, object);
  writer.ldelim();
  return writer.uint32(tag(3)).string("").uint32(tag(4)).string("").finish();
}

export function encodeMessage(object: object, messageName: string): Uint8Array {
  const writer = Writer.create();
  messageCodec(messageName).writeFields(writer, object);
  return writer.finish();
}

export type WatchEventType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";

/**
 * One frame of a protobuf watch: the length in four bytes, then a WatchEvent whose raw object is an
 * enveloped body. The event itself has no envelope, because stream decoders know its type.
 */
export function encodeWatchFrame(type: WatchEventType, body: Uint8Array): Uint8Array {
  const writer = Writer.create().fixed32(0);
  writer.uint32(tag(1)).string(type);
  writer.uint32(tag(2)).fork().uint32(tag(1)).bytes(body).ldelim();
  const frame = writer.finish();
  new DataView(frame.buffer, frame.byteOffset).setUint32(0, frame.length - 4);
  return frame;
}

/**
 * Decodes a frame without its length: the type of the event and the enveloped body of its object.
 */
export function decodeWatchEvent(frame: Uint8Array): {
  readonly type: string;
  readonly body: Uint8Array;
} {
  return refusingMalformed(() => {
    const event = { type: "", body: new Uint8Array() };
    const reader = readerOf(frame);
    while (reader.pos < reader.len) {
      const key = reader.tag();
      if (key === tag(1)) event.type = reader.string();
      else if (key === tag(2)) event.body = readRaw(readerOf(reader.bytes()));
      else reader.skipType(key & 7, 0, key >>> 3);
    }
    return event;
  });
}

function readRaw(reader: Reader): Uint8Array<ArrayBuffer> {
  let raw = new Uint8Array();
  while (reader.pos < reader.len) {
    const key = reader.tag();
    if (key === tag(1)) raw = new Uint8Array(reader.bytes());
    else reader.skipType(key & 7, 0, key >>> 3);
  }
  return raw;
}

const MAGIC = [0x6b, 0x38, 0x73, 0x00];

function readUnknown(reader: Reader): Envelope {
  let typeMeta = { apiVersion: "", kind: "" };
  let message = new Uint8Array();
  while (reader.pos < reader.len) {
    const key = reader.tag();
    if (key === tag(1)) typeMeta = readTypeMeta(readerOf(reader.bytes()), typeMeta);
    else if (key === tag(2)) message = new Uint8Array(reader.bytes());
    else reader.skipType(key & 7, 0, key >>> 3);
  }
  return { ...typeMeta, message };
}

function readTypeMeta(reader: Reader, before: { apiVersion: string; kind: string }) {
  let { apiVersion, kind } = before;
  while (reader.pos < reader.len) {
    const key = reader.tag();
    if (key === tag(1)) apiVersion = reader.string();
    else if (key === tag(2)) kind = reader.string();
    else reader.skipType(key & 7, 0, key >>> 3);
  }
  return { apiVersion, kind };
}

const LENGTH_DELIMITED = 2;

function tag(field: number): number {
  return (field << 3) | LENGTH_DELIMITED;
}

// A reader over a Buffer decodes strings natively, one over a Uint8Array in JavaScript.
function readerOf(bytes: Uint8Array): Reader {
  return Reader.create(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

/**
 * The wire reader reports truncation as RangeError and other damage as plain Error. Anything else,
 * such as a TypeError, is a bug of ours and must not be reported as an error of the client.
 */
function refusingMalformed<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (error instanceof RangeError) throw badRequest("unexpected EOF");
    if (error instanceof SyntaxError) throw badRequest(error.message);
    if (error instanceof Error && error.constructor === Error) throw badRequest(error.message);
    throw error;
  }
}
