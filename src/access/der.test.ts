import { expect, test } from "vitest";
import * as der from "./der.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

test.each([
  ["an empty sequence", der.sequence(), "3000"],
  ["a number", der.integer(Uint8Array.of(5)), "020105"],
  ["zero", der.integer(Uint8Array.of(0)), "020100"],
  ["a number whose first bit is set", der.integer(Uint8Array.of(0x80)), "02020080"],
  ["a number with needless zeros", der.integer(Uint8Array.of(0, 0, 7)), "020107"],
  ["a boolean", der.boolean(true), "0101ff"],
  ["an object identifier", der.objectIdentifier("1.2.840.10045.4.3.2"), "06082a8648ce3d040302"],
  ["a bit string", der.bitString(Uint8Array.of(0x06), 1), "03020106"],
  ["a string", der.utf8String("é"), "0c02c3a9"],
  [
    "a time until 2049",
    der.time(new Date("2049-12-31T23:59:59Z")),
    "170d3439313233313233353935395a",
  ],
  [
    "a time from 2050",
    der.time(new Date("2050-01-01T00:00:00Z")),
    "180f32303530303130313030303030305a",
  ],
  ["an explicit tag", der.explicit(3, der.boolean(false)), "a303010100"],
])("%s is encoded according to the standard", (_name, bytes, expected) => {
  expect(hex(bytes)).toBe(expected);
});

test.each([
  [127, "047f"],
  [128, "048180"],
  [255, "0481ff"],
  [256, "04820100"],
  [70_000, "0483011170"],
])("the length of %i bytes is encoded in the shortest form", (length, head) => {
  const encoded = hex(der.octetString(new Uint8Array(length)));
  expect(encoded.slice(0, head.length)).toBe(head);
  expect(encoded.length).toBe(head.length + 2 * length);
});
