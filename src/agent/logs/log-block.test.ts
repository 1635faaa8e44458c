import { appendFile, mkdtemp, open, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  BLOCK_BYTES,
  countLines,
  findLastLines,
  MOST_ZEROS_BYTES,
  nextLineStart,
} from "./log-block.ts";

const { signal } = new AbortController();
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
        const search = { lines, from: 0, to: written.length };
        const { start, count } = await findLastLines(file, search, signal);
        expect(written.slice(start)).toBe(lines === 0 ? "" : expected);
        expect(count).toBe(Math.min(lines, all.length));
        expect(await countLines(file, { from: start, to: written.length }, signal)).toBe(count);
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
      const search = { lines, from: 0, to: written.length };
      expect((await findLastLines(file, search, signal)).start).toBe(start);
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
    expect(await nextLineStart(file, { from, to: 7 }, signal)).toBe(expected);
  });
});

const HOLE_BYTES = 4 * 1024 ** 4;

test.each([
  [1, "c\n"],
  [2, "b\nc\n"],
  [9, "a\nb\nc\n"],
])("the last %i lines after a hole are found", async (lines, expected) => {
  await withHole("before\n", "a\nb\nc\n", async (file, to) => {
    const { start, count } = await findLastLines(file, { lines, from: 0, to }, signal);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(99), 0, 99, start);
    expect(buffer.toString("utf8", 0, bytesRead)).toBe(expected);
    expect(count).toBe(Math.min(lines, 3));
  });
});

test("a log that ends with a hole has no last lines", async () => {
  await withHole("before\n", "", async (file, to) => {
    const search = { lines: 3, from: 0, to };
    expect(await findLastLines(file, search, signal)).toEqual({ start: to, count: 0 });
  });
});

test("a line is looked for past a short hole, and not past a long one", async () => {
  await withHole("ab", "c\nd\n", async (file, to) => {
    expect(await nextLineStart(file, { from: 1, to }, signal)).toBeUndefined();
    const near = to - MOST_ZEROS_BYTES / 2;
    expect(await nextLineStart(file, { from: near, to }, signal)).toBe(to - 2);
  });
});

test("a search ends when it is aborted", async () => {
  const aborted = AbortSignal.abort();
  await withHole("ab", "c", async (file, to) => {
    expect(await nextLineStart(file, { from: 1, to }, aborted)).toBe(to);
    await findLastLines(file, { lines: 1, from: 0, to }, aborted);
    await countLines(file, { from: 0, to }, aborted);
  });
});

type Look = (file: Awaited<ReturnType<typeof open>>, end: number) => Promise<void>;

async function withHole(before: string, after: string, look: Look): Promise<void> {
  const name = path.join(directory, "sparse");
  await writeFile(name, before);
  await truncate(name, HOLE_BYTES);
  await appendFile(name, after);
  const file = await open(name, "r");
  try {
    await look(file, HOLE_BYTES + after.length);
  } finally {
    await file.close();
  }
}

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
