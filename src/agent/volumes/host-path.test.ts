import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findHostPath } from "./host-path.ts";

let directory: string;
const at = (name: string) => path.join(directory, name);

beforeEach(() => {
  directory = mkdtempSync(path.join(os.tmpdir(), "tally-host-"));
  writeFileSync(at("file"), "");
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

test.each([
  ["Directory", "file", "is not a directory"],
  ["Directory", "none", "is not a directory"],
  ["DirectoryOrCreate", "file", "is not a directory"],
  ["File", "", "is not a file"],
  ["File", "none", "is not a file"],
  ["FileOrCreate", "", "is not a file"],
  ["Socket", "file", "is not a socket file"],
  ["CharDevice", "file", "is not a character device"],
  ["BlockDevice", "none", "is not a block device"],
])("of type %s %j is refused: %s", async (type, name, words) => {
  const place = path.join(directory, name);
  expect(await findHostPath({ path: place, type })).toEqual({
    problem: `hostPath type check failed: ${place} ${words}`,
  });
});

test.each([
  ["", "file"],
  ["File", "file"],
  ["FileOrCreate", "file"],
  ["Directory", ""],
  ["DirectoryOrCreate", ""],
])("of type %j %j is taken", async (type, name) => {
  const place = path.join(directory, name);
  expect(await findHostPath({ path: place, type })).toEqual({ path: place });
});

test.each([
  ["", 0o755],
  ["DirectoryOrCreate", 0o755],
])("of type %j a directory is made", async (type, mode) => {
  expect(await findHostPath({ path: at("a/b"), type })).toEqual({ path: at("a/b") });
  expect(statSync(at("a/b")).mode & 0o777).toBe(mode);
});

test("a file is made in a directory that is there, and in no other", async () => {
  expect(await findHostPath({ path: at("new"), type: "FileOrCreate" })).toEqual({
    path: at("new"),
  });
  expect(statSync(at("new")).mode & 0o777).toBe(0o644);
  expect(await findHostPath({ path: at("a/new"), type: "FileOrCreate" })).toEqual({
    problem: `open ${at("a/new")}: no such file or directory`,
  });
  expect(existsSync(at("a"))).toBe(false);
});

test("a socket and a device are what they are", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(at("socket"), resolve));
  expect(await findHostPath({ path: at("socket"), type: "Socket" })).toEqual({
    path: at("socket"),
  });
  await new Promise((resolve) => server.close(resolve));
  expect(await findHostPath({ path: "/dev/null", type: "CharDevice" })).toEqual({
    path: "/dev/null",
  });
});
