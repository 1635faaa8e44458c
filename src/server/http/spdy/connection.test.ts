import type { Duplex } from "node:stream";
import { constants, createDeflate } from "node:zlib";
import { expect, test } from "vitest";
import { duplexPair } from "../../../../test/support/duplex-pair.ts";
import { SpdyConnection, type SpdyStream } from "./connection.ts";
import { headerDictionary } from "./dictionary.ts";
import { formatData, formatPing, type SpdyFrame, splitSpdy } from "./frames.ts";

const SYN_REPLY = 2;

/** Like client-go: one compressor for all headers of a connection. */
class Client {
  readonly heard: SpdyFrame[] = [];
  readonly replies: number[] = [];
  private readonly deflate = createDeflate({
    dictionary: headerDictionary(),
    flush: constants.Z_SYNC_FLUSH,
  });
  private readonly pieces: Buffer[] = [];
  private wake: () => void = () => {};

  constructor(private readonly carrier: Duplex) {
    this.deflate.on("data", (piece: Buffer) => this.pieces.push(piece));
    let rest: Buffer = Buffer.alloc(0);
    carrier.on("data", (piece: Buffer) => {
      this.noteReply(piece);
      const split = splitSpdy(rest, piece);
      rest = split.rest;
      this.heard.push(...split.frames);
      this.wake();
    });
  }

  async open(stream: number, headers: Readonly<Record<string, string>>): Promise<void> {
    const words = Object.entries(headers).flat();
    const texts = words.flatMap((word) => [word32(word.length), Buffer.from(word)]);
    const block = Buffer.concat([word32(words.length / 2), ...texts]);
    await new Promise((resolve) => this.deflate.write(block, resolve));
    const body = Buffer.concat([word32(stream), Buffer.alloc(6), ...this.pieces.splice(0)]);
    this.carrier.write(Buffer.concat([Buffer.from([0x80, 3, 0, 1]), word32(body.length), body]));
  }

  send(bytes: Buffer): void {
    this.carrier.write(bytes);
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  private noteReply(piece: Buffer): void {
    if (piece.readUInt16BE(0) === 0x8003 && piece.readUInt16BE(2) === SYN_REPLY) {
      this.replies.push(piece.readUInt32BE(8));
    }
  }
}

function word32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function connected(take: (stream: SpdyStream) => boolean, mostStreams = 8) {
  const [one, other] = duplexPair();
  const connection = new SpdyConnection(other, { mostStreams, onStream: take });
  return { client: new Client(one), connection, carrier: one };
}

test("streams have headers, get a reply, and carry bytes both ways", async () => {
  const streams: SpdyStream[] = [];
  const { client } = connected((stream) => {
    streams.push(stream);
    stream.on("data", (bytes: Buffer) => stream.write(`heard ${bytes}`));
    stream.on("end", () => stream.end());
    return true;
  });
  await client.open(1, { streamtype: "error", port: "80" });
  await client.open(3, { streamtype: "data", port: "80" });
  client.send(formatData(3, Buffer.from("hello"), true));
  await client.until(() => client.heard.some((frame) => frame.type === "data" && frame.isLast));
  expect(streams.map(({ headers }) => headers.get("streamtype"))).toEqual(["error", "data"]);
  expect(client.replies).toEqual([1, 3]);
  const said = client.heard.flatMap((frame) => (frame.type === "data" ? [`${frame.bytes}`] : []));
  expect(said.join("")).toBe("heard hello");
});

test("a ping is answered", async () => {
  const { client } = connected(() => true);
  client.send(formatPing(11));
  await client.until(() => client.heard.length > 0);
  expect(client.heard).toEqual([{ type: "ping", id: 11 }]);
});

test("an unwanted stream, or one above the limit, is reset", async () => {
  const { client } = connected((stream) => stream.headers.get("streamtype") !== "odd", 1);
  await client.open(1, { streamtype: "odd" });
  await client.open(3, { streamtype: "data" });
  await client.open(5, { streamtype: "data" });
  await client.until(() => client.heard.filter(({ type }) => type === "reset").length === 2);
  expect(client.heard.filter(({ type }) => type === "reset")).toMatchObject([
    { stream: 1 },
    { stream: 5 },
  ]);
});

test("a slow reader applies back-pressure to the client", async () => {
  const streams: SpdyStream[] = [];
  const { client, carrier } = connected((stream) => {
    streams.push(stream);
    return true;
  });
  await client.open(1, { streamtype: "data" });
  await client.until(() => client.replies.length > 0);
  for (let each = 0; each < 100; each++) {
    client.send(formatData(1, Buffer.alloc(16 * 1024), false));
  }
  await new Promise((resolve) => setImmediate(resolve));
  expect(streams[0]?.readableLength).toBeLessThan(64 * 1024);
  expect(carrier.writableLength).toBeGreaterThan(1024 * 1024);
});

test("bytes that are not SPDY end the connection", async () => {
  const { client, connection } = connected(() => true);
  client.send(Buffer.from([0x80, 9, 0, 1, 0, 0, 0, 0]));
  await expect(connection.closed).rejects.toThrow("SPDY version 9");
});
