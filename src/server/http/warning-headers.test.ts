import { expect, test } from "vitest";
import { composeWarningHeaders } from "./warning-headers.ts";

test("a warning is a quoted string, and duplicates are omitted", () => {
  expect(composeWarningHeaders(['a "b"', "c\\d", 'a "b"', ""])).toEqual([
    '299 - "a \\"b\\""',
    '299 - "c\\\\d"',
  ]);
});

test("a warning with control characters is omitted", () => {
  expect(composeWarningHeaders(["a\nb", "\u009b", "c"])).toEqual(['299 - "c"']);
});

test("up to 4096 characters are sent in full", () => {
  const texts = ["a".repeat(4000), "b".repeat(96)];
  expect(composeWarningHeaders(texts)).toEqual(texts.map((text) => `299 - "${text}"`));
});

test("above that each is truncated to 256 characters, and the rest is omitted", () => {
  const texts = Array.from({ length: 30 }, (_, index) => `${index}${"é".repeat(500)}`);
  const headers = composeWarningHeaders(texts);
  expect(headers).toHaveLength(16);
  const expected = `299 - "0${"é".repeat(255)}"`;
  expect(Buffer.from(headers[0] ?? "", "latin1").toString("utf8")).toBe(expected);
});
