import fc from "fast-check";
import { expect, test } from "vitest";
import { terminalText } from "../base/terminal-text.ts";
import { alignTabs } from "./tabbed-text.ts";

test("neighbouring lines share their columns, a line without a tab ends them", () => {
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

test("characters count, not their bytes", () => {
  expect(alignTabs(["äöü\tx", "a\ty"])).toBe("äöü  x\na    y\n");
});

test("what a terminal would obey is shown", () => {
  expect(terminalText("a\u001b[31mb\rc")).toBe("a^[[31mb\\rc");
});

test("nothing but tabs is changed, and what follows the last of them stays in place", () => {
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
