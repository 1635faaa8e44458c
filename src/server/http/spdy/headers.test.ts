import { constants, createDeflate, createInflate } from "node:zlib";
import { expect, test } from "vitest";
import { headerDictionary } from "./dictionary.ts";
import { emptyHeaders, HeaderReader } from "./headers.ts";

/** The checksum of the dictionary in the specification: every compressed stream starts with it. */
const CHECKSUM = "e3c6a7c2";

function compressor(): (headers: Readonly<Record<string, string>>) => Promise<Buffer> {
  const deflate = createDeflate({ dictionary: headerDictionary(), flush: constants.Z_SYNC_FLUSH });
  const pieces: Buffer[] = [];
  deflate.on("data", (piece: Buffer) => pieces.push(piece));
  return (headers) =>
    new Promise((resolve) => {
      const entries = Object.entries(headers);
      const words = entries.flat().map((text) => [lengthOf(text.length), Buffer.from(text)]);
      deflate.write(Buffer.concat([lengthOf(entries.length), ...words.flat()]), () =>
        resolve(Buffer.concat(pieces.splice(0))),
      );
    });
}

function lengthOf(length: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}

test("the dictionary is that of the specification", async () => {
  expect(headerDictionary()).toHaveLength(1423);
  const block = await compressor()({});
  expect(block.subarray(2, 6).toString("hex")).toBe(CHECKSUM);
});

test("successive header blocks of a connection are read in order", async () => {
  const compress = compressor();
  const reader = new HeaderReader();
  const first = { streamtype: "error", port: "80", requestid: "0" };
  const second = { streamtype: "data", port: "80", requestid: "0" };
  expect(Object.fromEntries(await reader.read(await compress(first)))).toEqual(first);
  expect(Object.fromEntries(await reader.read(await compress(second)))).toEqual(second);
});

test("a block that is not compressed headers is rejected", async () => {
  const reader = new HeaderReader();
  await expect(reader.read(Buffer.from("nothing of the kind"))).rejects.toThrow();
});

test("empty headers can be read by any zlib, also repeatedly", async () => {
  const inflate = createInflate({ dictionary: headerDictionary() });
  const pieces: Buffer[] = [];
  inflate.on("data", (piece: Buffer) => pieces.push(piece));
  for (const isFirst of [true, false, false]) {
    await new Promise((resolve) => inflate.write(emptyHeaders({ isFirst }), resolve));
  }
  expect(Buffer.concat(pieces)).toEqual(Buffer.alloc(12));
});

test("a block that decompresses to megabytes is stopped early", async () => {
  const block = await compressor()({ streamtype: "x".repeat(50_000_000) });
  expect(block.length).toBeLessThan(100_000);
  await expect(new HeaderReader().read(block)).rejects.toThrow("too long");
});
