/**
 * Pure: parses and formats SPDY/3.1 frames, as far as client-go uses them: streams with headers,
 * data, resets, pings and GOAWAY. Window updates and settings are not supported, as in client-go:
 * the connection below provides back-pressure.
 */
import { ClientFault } from "../stream-errors.ts";

export type SpdyFrame =
  | {
      readonly type: "syn-stream";
      readonly stream: number;
      readonly isLast: boolean;
      /** Compressed. */
      readonly headers: Buffer;
    }
  | { readonly type: "headers"; readonly stream: number; readonly headers: Buffer }
  | { readonly type: "reset"; readonly stream: number; readonly status: number }
  | { readonly type: "ping"; readonly id: number }
  | { readonly type: "go-away" }
  | {
      readonly type: "data";
      readonly stream: number;
      readonly isLast: boolean;
      readonly bytes: Buffer;
    }
  /** Ignored. */
  | { readonly type: "other" };

const VERSION = 0x8003;
const HEAD_BYTES = 8;
const STREAM_MASK = 0x7fffffff;
const FIN = 1;
/** A frame of client-go holds one read of up to 32 KiB, so that this is generous. */
const LONGEST_FRAME_BYTES = 1024 * 1024;

const SYN_STREAM = 1;
const SYN_REPLY = 2;
const RST_STREAM = 3;
const PING = 6;
const GOAWAY = 7;
const HEADERS = 8;

export const REFUSED_STREAM = 3;

/** The complete frames in the received bytes, and the rest for the next call. */
export function splitSpdy(kept: Buffer, piece: Buffer): { frames: SpdyFrame[]; rest: Buffer } {
  let rest = kept.length === 0 ? piece : Buffer.concat([kept, piece]);
  const frames: SpdyFrame[] = [];
  while (rest.length >= HEAD_BYTES) {
    const length = rest.readUIntBE(5, 3);
    if (length > LONGEST_FRAME_BYTES) throw new ClientFault(`a SPDY frame of ${length} bytes`);
    if (rest.length < HEAD_BYTES + length) break;
    const isControl = (rest.readUInt8(0) & 0x80) !== 0;
    const body = rest.subarray(HEAD_BYTES, HEAD_BYTES + length);
    frames.push(isControl ? parseControl(rest, body) : parseData(rest, body));
    rest = rest.subarray(HEAD_BYTES + length);
  }
  return { frames, rest };
}

function parseData(head: Buffer, bytes: Buffer): SpdyFrame {
  const stream = head.readUInt32BE(0) & STREAM_MASK;
  return { type: "data", stream, isLast: (head.readUInt8(4) & FIN) !== 0, bytes };
}

const SHORTEST_BODY: { readonly [type: number]: number } = {
  [SYN_STREAM]: 10,
  [RST_STREAM]: 8,
  [PING]: 4,
  [HEADERS]: 4,
};

function parseControl(head: Buffer, body: Buffer): SpdyFrame {
  const version = head.readUInt16BE(0);
  if (version !== VERSION) throw new ClientFault(`SPDY version ${version & 0x7fff}, not 3`);
  const type = head.readUInt16BE(2);
  if (body.length < (SHORTEST_BODY[type] ?? 0))
    throw new ClientFault(`a short SPDY frame of type ${type}`);
  switch (type) {
    case SYN_STREAM: {
      const stream = body.readUInt32BE(0) & STREAM_MASK;
      const isLast = (head.readUInt8(4) & FIN) !== 0;
      return { type: "syn-stream", stream, isLast, headers: body.subarray(10) };
    }
    case HEADERS: {
      const stream = body.readUInt32BE(0) & STREAM_MASK;
      return { type: "headers", stream, headers: body.subarray(4) };
    }
    case RST_STREAM:
      return {
        type: "reset",
        stream: body.readUInt32BE(0) & STREAM_MASK,
        status: body.readUInt32BE(4),
      };
    case PING:
      return { type: "ping", id: body.readUInt32BE(0) };
    case GOAWAY:
      return { type: "go-away" };
    default:
      return { type: "other" };
  }
}

export function formatData(stream: number, bytes: Uint8Array, isLast: boolean): Buffer {
  const frame = Buffer.allocUnsafe(HEAD_BYTES + bytes.length);
  frame.writeUInt32BE(stream, 0);
  frame.writeUInt32BE(bytes.length, 4);
  frame.writeUInt8(isLast ? FIN : 0, 4);
  frame.set(bytes, HEAD_BYTES);
  return frame;
}

/** `headers` is already compressed. */
export function formatSynReply(stream: number, headers: Buffer): Buffer {
  return formatControl(SYN_REPLY, Buffer.concat([word(stream), headers]));
}

export function formatReset(stream: number, status: number): Buffer {
  return formatControl(RST_STREAM, Buffer.concat([word(stream), word(status)]));
}

export function formatPing(id: number): Buffer {
  return formatControl(PING, word(id));
}

export function formatGoAway(lastStream: number): Buffer {
  return formatControl(GOAWAY, Buffer.concat([word(lastStream), word(0)]));
}

function formatControl(type: number, body: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt16BE(VERSION, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt32BE(body.length, 4);
  return Buffer.concat([head, body]);
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value, 0);
  return bytes;
}
