import fc from "fast-check";
import { expect, test } from "vitest";
import { cut, lastLine, pad, printable, widthOf } from "./cut.ts";

test.each([
  ["short", 10, "short"],
  ["exactly ten", 11, "exactly ten"],
  ["a little too long", 8, "a littl…"],
  ["日本語のテスト", 7, "日本語…"],
  ["naïve é", 20, "naïve é"],
  ["anything", 0, ""],
])("%j in %d columns is %j", (text, columns, expected) => {
  expect(cut(text, columns)).toBe(expected);
});

test("cut text never exceeds its width, and padded text has exactly that width", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme" }),
      fc.integer({ min: 1, max: 40 }),
      (text, columns) => {
        expect(widthOf(cut(text, columns))).toBeLessThanOrEqual(columns);
        expect(widthOf(pad(text, columns))).toBe(columns);
      },
    ),
  );
});

test("escape codes for cursor and colours are removed", () => {
  expect(printable("\u001b[31mred\u001b[0m\tand\u0007 \u001b]0;title\u0007bell\r")).toBe(
    "red  and bell",
  );
});

test.each([
  ["one\ntwo\n", "two"],
  ["10%\r20%\r30%", "30%"],
  ["done\n\n  \n\u001b[0m\n", "done"],
  ["", ""],
])("the last line of %j that says something is %j", (text, expected) => {
  expect(lastLine(text)).toBe(expected);
});
