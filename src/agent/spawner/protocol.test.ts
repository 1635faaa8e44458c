import fc from "fast-check";
import { expect, test } from "vitest";
import { formatRunName, parseRunName, splitLines } from "./protocol.ts";

test("a run's name is read as it was written, and has no blanks", () => {
  const part = fc.string({ unit: "grapheme" });
  const id = fc.record({ podUid: part, container: part, attempt: fc.nat() });
  fc.assert(
    fc.property(id, (each) => {
      const name = formatRunName(each);
      expect(name).toMatch(/^[^\s/]*\/[^\s/]*\/\d+$/);
      expect(parseRunName(name)).toEqual(each);
    }),
  );
});

test("lines are found however they arrive", () => {
  const line = fc.stringMatching(/^[^\n]*$/);
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat(10)), (lines, cuts) => {
      let text = lines.map((each) => `${each}\n`).join("");
      const seen: string[] = [];
      let rest = "";
      for (const cut of [...cuts, Number.POSITIVE_INFINITY]) {
        const split = splitLines(rest, text.slice(0, cut));
        seen.push(...split.lines);
        rest = split.rest;
        text = text.slice(cut);
      }
      expect(seen).toEqual(lines);
      expect(rest).toBe("");
    }),
  );
});
