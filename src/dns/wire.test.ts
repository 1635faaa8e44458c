import { type DecodedPacket, decode, encode, type Packet } from "dns-packet";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Answer,
  type DnsRecord,
  decodeQuery,
  encodeAnswer,
  type Query,
  TYPE,
} from "./wire.ts";

function query(packet: Packet): Query {
  const decoded = decodeQuery(Buffer.from(encode({ type: "query", id: 7, ...packet })));
  if (!decoded || !("query" in decoded)) throw new Error("no query");
  return decoded.query;
}

const ASKED = query({ flags: 256, questions: [{ type: "A", name: "Web.x.cluster.local" }] });

function answer(records: readonly DnsRecord[], more: Partial<Answer> = {}): Answer {
  return { rcode: 0, isAuthoritative: true, answers: records, ...more };
}

function addresses(count: number): DnsRecord[] {
  return Array.from({ length: count }, (_, at) => ({
    name: "Web.x.cluster.local",
    ttl: 5,
    type: TYPE.A,
    address: [10, 1, at >> 8, at & 255],
  }));
}

function read(bytes: Buffer): DecodedPacket {
  return decode(bytes);
}

describe("a question", () => {
  test("is decoded as it was encoded", () => {
    expect(ASKED).toEqual({
      id: 7,
      recursionDesired: true,
      name: "Web.x.cluster.local",
      type: 1,
      udpBytes: 512,
      hasEdns: false,
    });
  });

  test.each([
    [4096, 1232],
    [1000, 1000],
    [10, 512],
  ])("from a client that accepts %i bytes is answered with %i at most", (size, most) => {
    const edns = { type: "OPT" as const, name: "." as const, udpPayloadSize: size };
    const additionals = [{ ...edns, flags: 0, options: [], extendedRcode: 0, ednsVersion: 0 }];
    const asked = query({ questions: [{ type: "A", name: "a" }], additionals } as never as Packet);
    expect(asked).toMatchObject({ hasEdns: true, udpBytes: most });
  });

  test("is rejected if there is none or more than one", () => {
    const two = encode({
      questions: [
        { type: "A", name: "a" },
        { type: "A", name: "b" },
      ],
    });
    const decoded = decodeQuery(Buffer.from(two));
    expect(decoded && "refusal" in decoded && decoded.refusal.readUInt8(3) & 15).toBe(1);
  });

  test("that is a response is ignored", () => {
    const packet = encode({ type: "response", questions: [{ type: "A", name: "a" }] });
    expect(decodeQuery(Buffer.from(packet))).toBeUndefined();
  });

  test("of random bytes is decoded, rejected or dropped, and never throws", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        const decoded = decodeQuery(Buffer.from(bytes));
        if (decoded && "refusal" in decoded) read(decoded.refusal);
      }),
    );
  });
});

describe("an answer", () => {
  test("has the question, its records and its flags", () => {
    const packet = read(encodeAnswer(ASKED, answer(addresses(2)), 512));
    expect(packet).toMatchObject({ id: 7, rcode: "NOERROR", flag_aa: true, flag_rd: true });
    expect(packet.questions).toEqual([{ name: "Web.x.cluster.local", type: "A", class: "IN" }]);
    expect(packet.answers?.map((each) => "data" in each && each.data)).toEqual([
      "10.1.0.0",
      "10.1.0.1",
    ]);
  });

  test("writes a name once and points to it afterwards", () => {
    const one = encodeAnswer(ASKED, answer(addresses(1)), 512).length;
    const two = encodeAnswer(ASKED, answer(addresses(2)), 512).length;
    expect(two - one).toBe(2 + 10 + 4);
  });

  test("that does not fit is truncated and flagged", () => {
    const bytes = encodeAnswer(ASKED, answer(addresses(100)), 512);
    const packet = read(bytes);
    expect(packet.flag_tc).toBe(true);
    expect(bytes.length).toBeLessThanOrEqual(512);
    expect(packet.answers?.length).toBeGreaterThan(20);
    expect(read(encodeAnswer(ASKED, answer(addresses(100)), 65_535)).flag_tc).toBe(false);
  });

  test("is decoded correctly by another library, whatever its names and length", () => {
    const label = fc.stringMatching(/^[a-z0-9_]([a-z0-9-]{0,20}[a-z0-9])?$/);
    const name = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join("."));
    const data: fc.Arbitrary<DnsRecord> = fc
      .record({ name, target: name, port: fc.nat(65_535), which: fc.nat(4) })
      .map(({ name: owner, target, port, which }) => {
        const base = { name: owner, ttl: 30 };
        if (which === 0) return { ...base, type: TYPE.A, address: [1, 2, 3, 4] };
        if (which === 1) return { ...base, type: TYPE.CNAME, target };
        if (which === 2) return { ...base, type: TYPE.SRV, port, weight: 100, target };
        if (which === 3) return { ...base, type: TYPE.PTR, target };
        return { ...base, type: TYPE.TXT, text: "1.1.0" };
      });
    fc.assert(
      fc.property(
        name,
        fc.array(data, { maxLength: 30 }),
        fc.integer({ min: 512, max: 1232 }),
        (asked, records, most) => {
          const bytes = encodeAnswer({ ...ASKED, name: asked }, answer(records), most);
          expect(bytes.length).toBeLessThanOrEqual(most);
          const packet = read(bytes);
          const given = packet.answers ?? [];
          expect(packet.flag_tc).toBe(given.length < records.length);
          for (const [at, record] of given.entries()) {
            expect(record.name.toLowerCase()).toBe(records[at]?.name);
          }
        },
      ),
    );
  });
});
