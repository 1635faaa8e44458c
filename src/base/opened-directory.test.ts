import { mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { OpenedDirectory } from "./opened-directory.ts";

let parent: string;
let path: string;
let opened: OpenedDirectory;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "tally-opened-"));
  path = join(parent, "data");
  mkdirSync(path);
  opened = new OpenedDirectory(path);
});
afterEach(() => {
  opened.close();
  rmSync(parent, { recursive: true });
});

test("a directory that is in use is not gone", () => {
  mkdirSync(join(path, "below"));
  expect(opened.isGone).toBe(false);
});

test("a deleted directory is gone, even if another one takes its place", () => {
  rmSync(path, { recursive: true });
  expect(opened.isGone).toBe(true);
  mkdirSync(path);
  expect(opened.isGone).toBe(true);
});

test("a renamed directory is gone until it is renamed back", () => {
  renameSync(path, `${path}-elsewhere`);
  expect(opened.isGone).toBe(true);
  renameSync(`${path}-elsewhere`, path);
  expect(opened.isGone).toBe(false);
});
