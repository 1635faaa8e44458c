import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { admitGuest, readServerMode, refuseAlone, storeServerMode } from "./server-mode.ts";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "tally-mode-"));
});

afterEach(() => rm(directory, { recursive: true }));

test("a server that is not shared admits no guests", async () => {
  expect(await readServerMode(directory)).toEqual({ isShared: false, hasGuests: false });
  expect(await admitGuest(directory)).toBe(false);
  await storeServerMode(directory, true);
  await storeServerMode(directory, false);
  expect(await admitGuest(directory)).toBe(false);
  await refuseAlone(directory);
});

test("a server with guests can be started only with --shared", async () => {
  await storeServerMode(directory, true);
  expect(await admitGuest(directory)).toBe(true);
  const sentence = "only tally up --shared may start it";
  await expect(refuseAlone(directory)).rejects.toThrow(sentence);
  await expect(storeServerMode(directory, false)).rejects.toThrow(sentence);
  await storeServerMode(directory, true);
  expect(await readServerMode(directory)).toEqual({ isShared: true, hasGuests: true });
  for (const file of ["mode", "guests"]) {
    const { mode } = await stat(path.join(directory, file));
    expect(mode & 0o777).toBe(0o600);
  }
});

test.each(["", "shar", "alon", "other\n"])(
  'a damaged mode file (%j) is rejected instead of meaning "not shared"',
  async (text) => {
    await writeFile(path.join(directory, "mode"), text);
    await expect(refuseAlone(directory)).rejects.toThrow("is damaged");
  },
);
