import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeAtomically } from "./atomic-writer.ts";
import type { Payload } from "./files.ts";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(os.tmpdir(), "tally-atomic-"));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const NOW = Date.UTC(2026, 10, 16, 5, 30, 7);

function payloadOf(files: { readonly [name: string]: string }, mode = 0o644): Payload {
  const entries = Object.entries(files);
  return new Map(entries.map(([name, text]) => [name, { content: Buffer.from(text), mode }]));
}

function write(files: { readonly [name: string]: string }, mode?: number): boolean {
  return writeAtomically(directory, payloadOf(files, mode), { nowMs: NOW });
}

test("files are reached through one link to a directory of their version", () => {
  expect(write({ a: "1", "sub/b": "2" })).toBe(true);
  const version = readlinkSync(path.join(directory, "..data"));
  expect(version).toMatch(/^\.\.2026_11_16_05_30_07\.[A-Za-z0-9]{6}$/);
  expect(readlinkSync(path.join(directory, "a"))).toBe("..data/a");
  expect(readlinkSync(path.join(directory, "sub"))).toBe("..data/sub");
  expect(readdirSync(directory).sort()).toEqual([version, "..data", "a", "sub"].sort());
  expect(statSync(path.join(directory, version)).mode & 0o777).toBe(0o755);
});

test("modes are what was asked for, whatever the umask", () => {
  const before = process.umask(0o077);
  try {
    write({ "sub/b": "2" }, 0o666);
  } finally {
    process.umask(before);
  }
  expect(statSync(path.join(directory, "sub/b")).mode & 0o777).toBe(0o666);
  expect(statSync(path.join(directory, "sub")).mode & 0o777).toBe(0o755);
});

test("what has not changed is not written again", () => {
  write({ a: "1", "sub/b": "2" });
  const version = readlinkSync(path.join(directory, "..data"));
  expect(write({ a: "1", "sub/b": "2" })).toBe(false);
  expect(readlinkSync(path.join(directory, "..data"))).toBe(version);
  expect(write({ a: "1" })).toBe(true);
});

test("what a crash left half-written is cleared away", () => {
  write({ a: "1" });
  mkdirSync(path.join(directory, "..2026_01_01_00_00_00.xxxxxx"));
  write({ a: "2" });
  const versions = readdirSync(directory).filter((name) => name.startsWith("..2026"));
  expect(versions).toEqual([readlinkSync(path.join(directory, "..data"))]);
});

test("whatever is written after whatever, the last version is what there is", () => {
  const name = fc.constantFrom("a", "b", "sub/c", "sub/deep/d", "other/e");
  const version = fc.dictionary(name, fc.constantFrom("", "1", "2"));
  fc.assert(
    fc.property(fc.array(version, { minLength: 1, maxLength: 4 }), (versions) => {
      for (const files of versions) write(files);
      const last = versions.at(-1) ?? {};
      const tops = new Set(Object.keys(last).map((file) => file.split("/")[0]));
      const visible = readdirSync(directory).filter((file) => !file.startsWith(".."));
      expect(visible.sort()).toEqual([...tops].sort());
      for (const [file, text] of Object.entries(last)) {
        expect(readFileSync(path.join(directory, file), "utf8")).toBe(text);
      }
      for (const file of ["a", "b", "sub/c", "sub/deep/d", "other/e"]) {
        expect(existsSync(path.join(directory, file))).toBe(file in last);
      }
    }),
    { numRuns: 50 },
  );
});
