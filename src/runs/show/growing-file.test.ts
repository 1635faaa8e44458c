import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { GrowingFile, lastLines } from "./growing-file.ts";

const directory = mkdtempSync(path.join(tmpdir(), "tally-growing-"));
afterAll(() => rmSync(directory, { recursive: true }));

const LONG = Array.from({ length: 40_000 }, (_, n) => `line ${n}\n`).join("");

test.each<[string, number, string]>([
  ["a\nb\nc\n", 2, "b\nc\n"],
  ["a\nb\nc", 1, "c"],
  ["a\nb\n", 9, "a\nb\n"],
  ["a\nb\n", 0, ""],
  ["", 3, ""],
  ["\n\n", 1, "\n"],
  [LONG, 2, "line 39998\nline 39999\n"],
])("of a file the last lines are read", (text, lines, expected) => {
  const file = path.join(directory, "tail");
  writeFileSync(file, text);
  expect(lastLines(file, lines).toString()).toBe(expected);
});

test("a missing file has no content; later its new content is read", async () => {
  const file = path.join(directory, "grows");
  const growing = new GrowingFile(file);
  expect(await copied(growing)).toBe("");
  appendFileSync(file, "one\n");
  expect(await copied(growing)).toBe("one\n");
  expect(await copied(growing)).toBe("");
  appendFileSync(file, "two\nthree\n");
  expect(await copied(growing)).toBe("two\nthree\n");
  expect(await copied(new GrowingFile(file, 1))).toBe("three\n");
});

async function copied(file: GrowingFile): Promise<string> {
  let text = "";
  await file.copyTo(async (bytes) => {
    text += Buffer.from(bytes).toString();
  });
  return text;
}
