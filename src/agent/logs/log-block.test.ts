import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BLOCK_BYTES, lastLinesStart, nextLineStart } from "./log-block.ts";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "tally-blocks-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const text = fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 40 });

test("the last lines are those a split finds", async () => {
  await fc.assert(
    fc.asyncProperty(text, fc.nat(12), async (written, lines) => {
      const all = written.match(/[^\n]*\n|[^\n]+$/g) ?? [];
      const expected = all.slice(Math.max(0, all.length - lines)).join("");
      await reading(written, async (file) => {
        const start = await lastLinesStart(file, { lines, end: written.length });
        expect(written.slice(start)).toBe(lines === 0 ? "" : expected);
      });
    }),
    { numRuns: 50 },
  );
});

test("lines longer than a block are found", async () => {
  const long = `${"x".repeat(BLOCK_BYTES + 2)}\n`;
  const written = `${long}${long}ab\n`;
  const starts = [written.length, 2 * long.length, long.length, 0, 0];
  await reading(written, async (file) => {
    for (const [lines, start] of starts.entries()) {
      expect(await lastLinesStart(file, { lines, end: written.length })).toBe(start);
    }
  });
});

test.each([
  [0, 0],
  [1, 2],
  [2, 2],
  [3, 5],
  [5, 5],
  [6, 7],
])("the first line from %i on begins at %i", async (from, expected) => {
  await reading("a\nbc\nde", async (file) => {
    expect(await nextLineStart(file, { from, to: 7 })).toBe(expected);
  });
});

async function reading(
  written: string,
  look: (file: Awaited<ReturnType<typeof open>>) => Promise<void>,
): Promise<void> {
  const name = path.join(directory, "log");
  await writeFile(name, written);
  const file = await open(name, "r");
  try {
    await look(file);
  } finally {
    await file.close();
  }
}
