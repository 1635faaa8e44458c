import fc from "fast-check";
import { expect, test } from "vitest";
import { expand, expandAll } from "./expansion.ts";

const VARIABLES = new Map([
  ["A", "1"],
  ["B_C", "two words"],
  ["EMPTY", ""],
  ["REFERENCE", "$(A)"],
  ["DOLLARS", "$$"],
  ["a.b-c", "dotted"],
]);

test.each([
  ["", ""],
  ["plain", "plain"],
  ["$(A)", "1"],
  ["$(A)$(A)-$(B_C)", "11-two words"],
  ["é$(A)é", "é1é"],
  ["$(a.b-c)", "dotted"],
  ["[$(EMPTY)]", "[]"],
  ["$(UNKNOWN)", "$(UNKNOWN)"],
  ["$()", "$()"],
  ["$(REFERENCE)", "$(A)"],
  ["$(DOLLARS)", "$$"],
  ["$$", "$"],
  ["$$$", "$$"],
  ["$$(A)", "$(A)"],
  ["$$$(A)", "$1"],
  ["$$$$(A)", "$$(A)"],
  ["$", "$"],
  ["$(A)$", "1$"],
  ["$A", "$A"],
  ["$é", "$é"],
  ["${A", "${A"],
  ["$?$!$*", "$?$!$*"],
  ["\\$(A)", "\\1"],
  ["(A)", "(A)"],
  ["$A)", "$A)"],
  ["$(A", "$(A"],
  ["$(", "$("],
  ["$(A $$", "$(A $"],
  ["$($($($--", "$($($($--"],
  ["$(A)_$(B", "1_$(B"],
  ["$(X$(A))", "$(X$(A))"],
  ["$(X$(A)", "$(X$(A)"],
  ["$(X$$Y)", "$(X$$Y)"],
  ["$(\n)", "$(\n)"],
])("%j becomes %j", (text, expanded) => {
  expect(expand(text, VARIABLES)).toBe(expanded);
});

/** Texts in which what matters is frequent. */
const texts = fc.string({
  unit: fc.oneof(fc.constantFrom("$", "(", ")", "A", "B", "$(A)", "$$"), fc.string()),
});
const values = fc.dictionary(fc.constantFrom("A", "B", ""), texts);

function mapOf(entries: { readonly [name: string]: string }): Map<string, string> {
  return new Map(Object.entries(entries));
}

test("a text without references is unchanged", () => {
  fc.assert(
    fc.property(texts, values, (text, variables) => {
      const plain = text.replaceAll("$", "");
      expect(expand(plain, mapOf(variables))).toBe(plain);
    }),
  );
});

test("an escaped text expands to itself, whatever the variables are", () => {
  fc.assert(
    fc.property(texts, values, (text, variables) => {
      expect(expand(text.replaceAll("$", "$$$$"), mapOf(variables))).toBe(text);
    }),
  );
});

test("a reference is exactly its value, between whatever is complete", () => {
  fc.assert(
    fc.property(texts, texts, values, (before, after, variables) => {
      const escaped = before.replaceAll("$", "$$$$");
      const all = mapOf(variables).set("N", after);
      expect(expand(`${escaped}$(N)`, all)).toBe(before + after);
      expect(expand(`$(N)${escaped}`, all)).toBe(after + before);
    }),
  );
});

test("without variables only doubled operators outside of references go", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const tokens = /\$\$|\$\([^)]*\)/g;
      const expected = text.replaceAll(tokens, (token) => (token === "$$" ? "$" : token));
      expect(expand(text, new Map())).toBe(expected);
    }),
  );
});

test("a text that refers to a long one over and over does not grow without end", () => {
  const variables = new Map([["A", "x".repeat(1_000_000)]]);
  expect(expand("$(A)".repeat(100_000), variables).length).toBeLessThan(8_000_000);
  const words = expandAll(
    Array.from({ length: 100_000 }, () => "$(A)"),
    variables,
  );
  expect(words.reduce((sum, word) => sum + word.length, 0)).toBeLessThan(8_000_000);
});
