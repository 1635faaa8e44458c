import { expect, test } from "vitest";
import { terminalText } from "./terminal-text.ts";

test.each([
  ["plain ä 中 😀", "plain ä 中 😀"],
  ["two\nlines\tand a column", "two\nlines\tand a column"],
  ["\u001b[31mred", "^[[31mred"],
  ["\u009b31mred", "\\u009b31mred"],
  ["\u009d0;title\u009c", "\\u009d0;title\\u009c"],
  ["over\rwritten", "over\\rwritten"],
  ["\u0007\u0008\u007f", "\\u0007\\u0008\\u007f"],
  ["\u202egpj.exe", "\\u202egpj.exe"],
])("%j is shown as %j", (text, shown) => {
  expect(terminalText(text)).toBe(shown);
});

test("no control character is left", () => {
  const all = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).join("");
  expect(terminalText(all).replaceAll(/[\n\t]/g, "")).toMatch(/^[\u0020-\u007e]*$/);
});
