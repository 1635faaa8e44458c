import fc from "fast-check";
import { expect, test } from "vitest";
import { LineSplitter, LONGEST_LINE } from "./line-splitter.ts";

test("the lines do not depend on how the text is cut", () => {
  const lines = fc.array(fc.string({ minLength: 1 }).filter((line) => /^\S[^\n]*$/.test(line)));
  fc.assert(
    fc.property(lines, fc.array(fc.nat(5)), (each, cuts) => {
      const text = each.map((line) => `${line}\n`).join("");
      const splitter = new LineSplitter();
      const seen: string[] = [];
      let at = 0;
      for (const length of [...cuts, text.length]) {
        seen.push(...splitter.take(text.slice(at, at + length)));
        at += length;
      }
      expect(seen).toEqual(each);
      expect(splitter.isWithinLine).toBe(false);
    }),
  );
});

test("an incomplete line is not returned", () => {
  const splitter = new LineSplitter();
  expect(splitter.take("one\ntw")).toEqual(["one"]);
  expect(splitter.isWithinLine).toBe(true);
  expect(splitter.take("o\n\n")).toEqual(["two"]);
  expect(splitter.isWithinLine).toBe(false);
});

test("a line that is too long is rejected", () => {
  const splitter = new LineSplitter();
  const piece = "x".repeat(LONGEST_LINE / 2);
  splitter.take(piece);
  splitter.take(piece);
  expect(() => splitter.take("x")).toThrow("a line of more than");
});
