import fc from "fast-check";
import { expect, test } from "vitest";
import { terminalText } from "../base/terminal-text.ts";
import { alignTabs } from "./tabbed-text.ts";

test("neighbouring lines share columns, and a line without a tab ends them", () => {
  const lines = ["Name:\tx", "A longer name:\ty", "Heading", "  a\tb\tc", "  longer\tb\tc"];
  expect(alignTabs(lines)).toBe(
    [
      "Name:           x",
      "A longer name:  y",
      "Heading",
      "  a       b  c",
      "  longer  b  c",
      "",
    ].join("\n"),
  );
});

test("a column ends where a line has fewer cells", () => {
  const lines = ["a\tbbbb\tc", "a\tb", "a\tb\tc"];
  expect(alignTabs(lines)).toBe("a  bbbb  c\na  b\na  b  c\n");
});

test("columns are measured in characters, not in bytes", () => {
  expect(alignTabs(["äöü\tx", "a\ty"])).toBe("äöü  x\na    y\n");
});

test("control characters are escaped", () => {
  expect(terminalText("a\u001b[31mb\rc")).toBe("a^[[31mb\\rc");
});

test("only tabs are changed, and text after the last tab keeps its position", () => {
  const word = fc.stringMatching(/^[a-z]{0,5}$/);
  const line = fc.array(word, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(line, { minLength: 1 }), (lines) => {
      const text = alignTabs(lines.map((words) => words.join("\t")));
      const plain = (whole: string) => whole.replaceAll(" ", "");
      expect(plain(text)).toBe(lines.map((words) => `${words.join("")}\n`).join(""));
    }),
  );
});
