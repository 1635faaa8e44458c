import { expect, test } from "vitest";
import { joinFields, splitFields } from "./split-fields.ts";

test.each([
  ["", []],
  ["  ", []],
  ["a", ["a"]],
  [" a  b\t\n", ["a", "b"]],
  ["a\u0085b\u00a0c\u3000d", ["a", "b", "c", "d"]],
  ["\ufeffa", ["\ufeffa"]],
])("%j has the fields %j", (text, fields) => {
  expect(splitFields(text, 5)).toEqual({ count: fields.length, first: fields });
  expect(joinFields(text)).toBe(fields.join(" "));
});

test("fields beyond those that are asked for are counted", () => {
  expect(splitFields("a b c", 2)).toEqual({ count: 3, first: ["a", "b"] });
});
