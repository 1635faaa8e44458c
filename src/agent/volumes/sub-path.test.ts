import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ensurePart } from "./sub-path.ts";

let outside: string;
let volume: string;

beforeEach(() => {
  outside = mkdtempSync(path.join(os.tmpdir(), "tally-part-"));
  volume = path.join(outside, "volume");
  mkdirSync(volume);
});

afterEach(() => rmSync(outside, { recursive: true, force: true }));

function identityOf(file: string) {
  const { dev: device, ino: inode } = statSync(file);
  return { device, inode };
}

test("what is missing is made, with the mode of the volume", () => {
  const found = ensurePart(volume, "a/b", 0o2775);
  expect(found).toEqual({ path: path.join(volume, "a/b"), identity: identityOf(found.path) });
  expect(statSync(path.join(volume, "a")).mode & 0o7777).toBe(0o2775);
});

test("a file is a part, too", () => {
  const file = path.join(volume, "file");
  writeFileSync(file, "");
  expect(ensurePart(volume, "file", 0o755)).toEqual({ path: file, identity: identityOf(file) });
});

test("a link within the volume is followed", () => {
  mkdirSync(path.join(volume, "real"));
  symlinkSync("real", path.join(volume, "link"));
  expect(ensurePart(volume, "link/new", 0o755).path).toBe(path.join(volume, "real/new"));
});

test.each(["..", "/", "../volume-of-others", "/etc"])("a link to %s leads nowhere", (target) => {
  mkdirSync(path.join(outside, "volume-of-others"));
  symlinkSync(target, path.join(volume, "link"));
  expect(() => ensurePart(volume, "link", 0o755)).toThrow("it leads out of the volume");
  expect(() => ensurePart(volume, "link/new", 0o755)).toThrow("it leads out of the volume");
  expect(existsSync(path.join(outside, "new"))).toBe(false);
});

test("a link to what is not there is not followed to make it", () => {
  symlinkSync(path.join(outside, "not-there"), path.join(volume, "link"));
  expect(() => ensurePart(volume, "link", 0o755)).toThrow("a link was put in its way");
  expect(existsSync(path.join(outside, "not-there"))).toBe(false);
});
