/**
 * Pure: encodes and decodes DNS messages.
 *
 * Only what a server needs is supported: one question, and the records it returns. Names in answers
 * are compressed. An answer that is too long for the client is truncated and flagged as such.
 */

export const TYPE = { A: 1, NS: 2, CNAME: 5, SOA: 6, PTR: 12, TXT: 16, AAAA: 28, SRV: 33 } as const;
export const ANY = 255;
export const RCODE = {
  ok: 0,
  malformed: 1,
  failed: 2,
  noName: 3,
  notKnown: 4,
  refused: 5,
} as const;
export type Rcode = (typeof RCODE)[keyof typeof RCODE];

const CLASS_IN = 1;
const CLASS_ANY = 255;
const OPT = 41;
const HEADER_BYTES = 12;
/** The size that every client accepts over UDP. */
const PLAIN_UDP_BYTES = 512;
/** Larger datagrams would be fragmented and often lost. */
const MOST_UDP_BYTES = 1232;
const MAX_NAME_BYTES = 255;
const MAX_LABEL_BYTES = 63;
const BAD_VERSION = 16;

export interface Query {
  readonly id: number;
  readonly recursionDesired: boolean;
  /** As written by the client, without the dot at the end. */
  readonly name: string;
  readonly type: number;
  /** The maximum length of an answer over UDP. */
  readonly udpBytes: number;
  /** The client used EDNS(0), so the answer uses it, too. */
  readonly hasEdns: boolean;
  readonly isUnknownVersion?: boolean;
}

export type DnsRecord = { readonly name: string; readonly ttl: number } & RecordData;

export type RecordData =
  | { readonly type: typeof TYPE.A | typeof TYPE.AAAA; readonly address: readonly number[] }
  | { readonly type: typeof TYPE.CNAME | typeof TYPE.PTR | typeof TYPE.NS; readonly target: string }
  | { readonly type: typeof TYPE.TXT; readonly text: string }
  | ({ readonly type: typeof TYPE.SRV; readonly port: number; readonly weight: number } & {
      readonly target: string;
    })
  | { readonly type: typeof TYPE.SOA; readonly serial: number; readonly minimumTtl: number };

/** Undefined: the message is dropped. Refusal: the question is invalid or not supported. */
export type Decoded = { readonly query: Query } | { readonly refusal: Buffer } | undefined;

export function decodeQuery(bytes: Buffer): Decoded {
  // Never respond to a response: two servers could do so forever.
  if (bytes.length < HEADER_BYTES || (bytes.readUInt8(2) & 0x80) !== 0) return undefined;
  const id = bytes.readUInt16BE(0);
  const opcode = (bytes.readUInt8(2) >> 3) & 0x0f;
  const recursionDesired = (bytes.readUInt8(2) & 1) !== 0;
  if (opcode !== 0) return { refusal: bare(id, RCODE.notKnown, opcode) };
  if (bytes.readUInt16BE(4) !== 1) return { refusal: bare(id, RCODE.malformed, opcode) };
  const named = readName(bytes, HEADER_BYTES);
  if (named === undefined || named.end + 4 > bytes.length) {
    return { refusal: bare(id, RCODE.malformed, opcode) };
  }
  const type = bytes.readUInt16BE(named.end);
  const questionClass = bytes.readUInt16BE(named.end + 2);
  if (questionClass !== CLASS_IN && questionClass !== CLASS_ANY) {
    return { refusal: bare(id, RCODE.refused, opcode) };
  }
  const edns = findEdns(bytes, named.end + 4);
  if (edns === "malformed") return { refusal: bare(id, RCODE.malformed, opcode) };
  const query = { id, recursionDesired, name: named.name, type };
  if (edns === undefined) return { query: { ...query, udpBytes: PLAIN_UDP_BYTES, hasEdns: false } };
  const udpBytes = Math.max(PLAIN_UDP_BYTES, Math.min(MOST_UDP_BYTES, edns.udpBytes));
  const isUnknownVersion = edns.version !== 0;
  return { query: { ...query, udpBytes, hasEdns: true, isUnknownVersion } };
}

function bare(id: number, rcode: Rcode, opcode: number): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.writeUInt16BE(id, 0);
  bytes.writeUInt16BE(0x8000 | (opcode << 11) | rcode, 2);
  return bytes;
}

/**
 * Compression pointers are rejected: the question contains the first name of the message, so there
 * is nothing to point to.
 */
function readName(bytes: Buffer, start: number): { name: string; end: number } | undefined {
  const labels: string[] = [];
  let at = start;
  for (;;) {
    const length = bytes[at];
    if (length === undefined || length > MAX_LABEL_BYTES) return undefined;
    at++;
    if (length === 0) return { name: labels.join("."), end: at };
    if (at + length > bytes.length || at + length - start > MAX_NAME_BYTES) return undefined;
    const label = bytes.toString("latin1", at, at + length);
    // The protocol allows it, but nobody uses it. As a text it would look like two labels.
    if (label.includes(".")) return undefined;
    labels.push(label);
    at += length;
  }
}

function findEdns(
  bytes: Buffer,
  start: number,
): { readonly udpBytes: number; readonly version: number } | "malformed" | undefined {
  const others = bytes.readUInt16BE(6) + bytes.readUInt16BE(8);
  const additional = bytes.readUInt16BE(10);
  if (others > 0 || additional === 0) return undefined;
  // Signatures may follow. The OPT record comes first and has the root name.
  if (bytes[start] !== 0 || start + 11 > bytes.length) return "malformed";
  if (bytes.readUInt16BE(start + 1) !== OPT) return undefined;
  return { udpBytes: bytes.readUInt16BE(start + 3), version: bytes.readUInt8(start + 6) };
}

export interface Answer {
  readonly rcode: Rcode;
  readonly isAuthoritative: boolean;
  readonly answers: readonly DnsRecord[];
  readonly authority?: readonly DnsRecord[];
  readonly additional?: readonly DnsRecord[];
}

/** Records that do not fit are omitted. If answer records are missing, the TC flag is set. */
export function encodeAnswer(query: Query, answer: Answer, maxBytes: number): Buffer {
  const message = new Message(query, maxBytes - (query.hasEdns ? EDNS_BYTES : 0));
  const { answers, authority = [], additional = [] } = answer;
  const given = message.addAll(answers);
  const isCut = given < answers.length;
  const named = isCut ? 0 : message.addAll(authority);
  const more = isCut ? 0 : message.addAll(additional);
  const flags =
    0x8080 |
    (answer.isAuthoritative ? 0x0400 : 0) |
    (isCut ? 0x0200 : 0) |
    (query.recursionDesired ? 0x0100 : 0) |
    (query.isUnknownVersion ? 0 : answer.rcode);
  return message.finish(flags, [given, named, more], query.isUnknownVersion ? BAD_VERSION : 0);
}

const EDNS_BYTES = 11;

class Message {
  private readonly parts: Buffer[] = [];
  private length = HEADER_BYTES;
  /** Positions of names and suffixes written before, for compression. */
  private readonly places = new Map<string, number>();
  /** Entries added by the current record. */
  private readonly fresh: string[] = [];

  constructor(
    private readonly query: Query,
    private readonly maxBytes: number,
  ) {
    const type = Buffer.alloc(4);
    type.writeUInt16BE(query.type, 0);
    type.writeUInt16BE(CLASS_IN, 2);
    this.append(this.encodeName(query.name, this.length), type);
  }

  /** Returns how many of them fit. */
  addAll(records: readonly DnsRecord[]): number {
    let added = 0;
    for (const record of records) {
      if (!this.add(record)) break;
      added++;
    }
    return added;
  }

  private add(record: DnsRecord): boolean {
    this.fresh.length = 0;
    const name = this.encodeName(record.name, this.length);
    const fixed = Buffer.alloc(10);
    const data = this.encodeData(record, this.length + name.length + fixed.length);
    if (this.length + name.length + fixed.length + data.length > this.maxBytes) {
      // The record is not sent, so its names cannot be pointed to.
      for (const text of this.fresh) this.places.delete(text);
      return false;
    }
    fixed.writeUInt16BE(record.type, 0);
    fixed.writeUInt16BE(CLASS_IN, 2);
    fixed.writeUInt32BE(record.ttl, 4);
    fixed.writeUInt16BE(data.length, 8);
    this.append(name, fixed, data);
    return true;
  }

  finish(flags: number, counts: readonly [number, number, number], extendedRcode: number): Buffer {
    const header = Buffer.alloc(HEADER_BYTES);
    const { id, hasEdns } = this.query;
    const [answers, authority, additional] = counts;
    const words = [id, flags, 1, answers, authority, additional + (hasEdns ? 1 : 0)];
    for (const [at, word] of words.entries()) header.writeUInt16BE(word, at * 2);
    if (hasEdns) this.append(edns(extendedRcode));
    return Buffer.concat([header, ...this.parts]);
  }

  private append(...parts: readonly Buffer[]): void {
    for (const part of parts) {
      this.parts.push(part);
      this.length += part.length;
    }
  }

  private encodeData(record: DnsRecord, at: number): Buffer {
    switch (record.type) {
      case TYPE.A:
      case TYPE.AAAA:
        return Buffer.from(record.address);
      case TYPE.CNAME:
      case TYPE.PTR:
      case TYPE.NS:
        return this.encodeName(record.target, at);
      case TYPE.TXT:
        return encodeText(record.text);
      case TYPE.SRV: {
        const fixed = Buffer.alloc(6);
        fixed.writeUInt16BE(record.weight, 2);
        fixed.writeUInt16BE(record.port, 4);
        // RFC 2782: the target of an SRV record is not compressed.
        return Buffer.concat([fixed, plainName(record.target)]);
      }
      case TYPE.SOA:
        return this.encodeAuthority(record, at);
    }
  }

  private encodeAuthority(
    record: DnsRecord & { readonly type: typeof TYPE.SOA },
    at: number,
  ): Buffer {
    const server = this.encodeName(`ns.dns.${record.name}`, at);
    const mailbox = this.encodeName(`hostmaster.${record.name}`, at + server.length);
    const numbers = Buffer.alloc(20);
    const words = [record.serial, REFRESH, RETRY, EXPIRE, record.minimumTtl];
    for (const [place, word] of words.entries()) numbers.writeUInt32BE(word, place * 4);
    return Buffer.concat([server, mailbox, numbers]);
  }

  /** Writes the new labels of a name, then a pointer to a known suffix. */
  private encodeName(name: string, at: number): Buffer {
    const parts: Buffer[] = [];
    let place = at;
    const labels = name === "" ? [] : name.split(".");
    for (let first = 0; first < labels.length; first++) {
      const rest = labels.slice(first).join(".").toLowerCase();
      const known = this.places.get(rest);
      if (known !== undefined) {
        parts.push(Buffer.from([0xc0 | (known >> 8), known & 0xff]));
        return Buffer.concat(parts);
      }
      if (place <= LAST_PLACE) {
        this.places.set(rest, place);
        this.fresh.push(rest);
      }
      const label = encodeLabel(labels[first] ?? "");
      parts.push(label);
      place += label.length;
    }
    parts.push(END);
    return Buffer.concat(parts);
  }
}

const REFRESH = 7200;
const RETRY = 1800;
const EXPIRE = 86_400;
/** The highest offset that a 14-bit pointer can address. */
const LAST_PLACE = 0x3fff;
const END = Buffer.from([0]);

function plainName(name: string): Buffer {
  const labels = name === "" ? [] : name.split(".");
  return Buffer.concat([...labels.map(encodeLabel), END]);
}

function encodeLabel(label: string): Buffer {
  const bytes = Buffer.from(label, "latin1").subarray(0, MAX_LABEL_BYTES);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text, "utf8").subarray(0, 255);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

function edns(extendedRcode: number): Buffer {
  const bytes = Buffer.alloc(EDNS_BYTES);
  bytes.writeUInt16BE(OPT, 1);
  bytes.writeUInt16BE(MOST_UDP_BYTES, 3);
  bytes.writeUInt8(extendedRcode >> 4, 5);
  return bytes;
}
