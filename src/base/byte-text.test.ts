import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOfText, hasEscapedBytes, textOfBytes } from "./byte-text.ts";

test("any bytes survive the conversion to text and back, even through JSON", () => {
  const anyBytes = fc.uint8Array({ maxLength: 40 });
  const mixed = fc
    .array(
      fc.oneof(
        fc.string({ unit: "binary" }).map((text) => Buffer.from(text)),
        anyBytes,
      ),
    )
    .map((pieces) => Buffer.concat(pieces));
  fc.assert(
    fc.property(fc.oneof(anyBytes, mixed), (bytes) => {
      const text: string = JSON.parse(JSON.stringify(textOfBytes(bytes)));
      expect(bytesOfText(text)).toEqual(Buffer.from(bytes));
    }),
  );
});

test.each<[string, number[], string]>([
  ["plain text", [0x61, 0xc3, 0xa9], "aé"],
  ["a character beyond the first plane", [0xf0, 0x9f, 0x98, 0x80], "\u{1f600}"],
  ["a real replacement character", [0xef, 0xbf, 0xbd], "\ufffd"],
  ["a lone byte", [0x61, 0xff, 0x62], "a\udcffb"],
  ["a truncated character", [0xe2, 0x82], "\udce2\udc82"],
  ["half of a surrogate pair", [0xed, 0xa0, 0x80], "\udced\udca0\udc80"],
])("%s is decoded", (_, bytes, text) => {
  expect(textOfBytes(Uint8Array.from(bytes))).toBe(text);
  expect(hasEscapedBytes(text)).toBe(/\udce2|\udced|\udcff/.test(text));
});
