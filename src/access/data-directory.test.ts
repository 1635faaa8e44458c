import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openDataDirectory } from "./data-directory.ts";

let parent: string;
let directory: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "tally-data-"));
  directory = join(parent, "state", "tally");
});
afterEach(() => rm(parent, { recursive: true }));

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

test("a missing data directory is created with access only for its owner", async () => {
  expect(await openDataDirectory(directory)).toEqual({
    path: directory,
    certificates: join(directory, "pki"),
    token: join(directory, "token"),
    kubeconfig: join(directory, "kubeconfig"),
  });
  expect(await modeOf(directory)).toBe("700");
});

test.each([
  ["empty", []],
  ["a data directory", ["pki", "token"]],
])("a directory that others can read is made private if it is %s", async (_state, entries) => {
  await mkdir(directory, { recursive: true });
  for (const entry of entries) await writeFile(join(directory, entry), "");
  await chmod(directory, 0o755);
  await openDataDirectory(directory);
  expect(await modeOf(directory)).toBe("700");
});

test("a directory with other contents that others can read is rejected and unchanged", async () => {
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "somebody.txt"), "");
  await chmod(directory, 0o755);
  await expect(openDataDirectory(directory)).rejects.toThrow("is not a data directory of Tally");
  expect(await modeOf(directory)).toBe("755");
});

test("if the path is a file, the error contains the path", async () => {
  const file = join(parent, "file");
  await writeFile(file, "");
  await expect(openDataDirectory(file)).rejects.toThrow(file);
});
