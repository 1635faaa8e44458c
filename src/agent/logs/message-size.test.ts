import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { boundMessage, closeMessage } from "./message-size.ts";

const MIB = 1024 * 1024;

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "tally-message-"));
  file = join(directory, "message");
});
afterEach(() => rmSync(directory, { recursive: true }));

test("a message that is not large is left alone while its container runs", () => {
  boundMessage(file);
  writeFileSync(file, "a".repeat(10_000));
  boundMessage(file);
  expect(statSync(file).size).toBe(10_000);
});

test("of a large message the end is kept, and what is appended to it", () => {
  writeFileSync(file, `${"a".repeat(MIB)}the end`);
  boundMessage(file);
  expect(readFileSync(file, "utf8")).toBe(`${"a".repeat(4089)}the end`);
  appendFileSync(file, " of it");
  expect(readFileSync(file, "utf8")).toMatch(/athe end of it$/);
});

test("a writer that goes on at its own place takes no more of the disk", () => {
  const writer = openSync(file, "w");
  try {
    for (let count = 0; count < 5; count++) {
      writeSync(writer, "a".repeat(MIB));
      boundMessage(file);
      expect(statSync(file).blocks * 512).toBeLessThanOrEqual(16 * 1024);
    }
    writeSync(writer, "the end");
  } finally {
    closeSync(writer);
  }
  closeMessage(file);
  const kept = readFileSync(file, "utf8");
  expect(kept.length).toBe(4096);
  expect(kept.endsWith("the end")).toBe(true);
});

test("after the end nobody else can read a message or write to it", () => {
  writeFileSync(file, "short", { mode: 0o666 });
  closeMessage(file);
  expect(readFileSync(file, "utf8")).toBe("short");
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
