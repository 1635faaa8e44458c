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

test("a data directory is made where it is missing, for its owner alone", async () => {
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
  ["ours", ["pki", "token"]],
])("one that is open to others is closed to them when it is %s", async (_state, entries) => {
  await mkdir(directory, { recursive: true });
  for (const entry of entries) await writeFile(join(directory, entry), "");
  await chmod(directory, 0o755);
  await openDataDirectory(directory);
  expect(await modeOf(directory)).toBe("700");
});

test("a directory shared with others for another purpose is refused and left alone", async () => {
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "somebody.txt"), "");
  await chmod(directory, 0o755);
  await expect(openDataDirectory(directory)).rejects.toThrow("is not a data directory of Tally");
  expect(await modeOf(directory)).toBe("755");
});

test("a file where the directory should be is an error that names it", async () => {
  const file = join(parent, "file");
  await writeFile(file, "");
  await expect(openDataDirectory(file)).rejects.toThrow(file);
});
