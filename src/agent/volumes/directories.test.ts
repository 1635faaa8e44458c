import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { VolumeDirectories } from "./directories.ts";
import { Mounter, mountsBelow } from "./mounter.ts";

const UID = "0b6c2a6e-0000-4000-8000-000000000001";
let root: string;
let mounter: Mounter;
let directories: VolumeDirectories;

beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), "tally dir's "));
  mounter = new Mounter();
  directories = new VolumeDirectories(root, mounter);
});

afterEach(async () => {
  await directories.remove(UID);
  mounter.close();
  rmSync(root, { recursive: true, force: true });
});

test("a directory is made once, and kept with what is in it", async () => {
  const made = await directories.ensure(UID, "v");
  writeFileSync(path.join(made, "file"), "");
  expect(await directories.ensure(UID, "v")).toBe(made);
  expect(readdirSync(made)).toEqual(["file"]);
  expect([made, path.dirname(made)].map((place) => lstatSync(place).mode & 0o777)).toEqual([
    0o777, 0o700,
  ]);
});

const isRoot = process.getuid?.() === 0;

test.runIf(isRoot)("a volume of memory holds what it may, and is unmounted", async () => {
  const { path: made, lack } = await directories.ensureMemory(UID, "v", 1024 * 1024);
  expect(lack).toBeUndefined();
  expect(await mountsBelow(root)).toEqual([made]);
  const { blocks, bsize } = statfsSync(made);
  expect(blocks * bsize).toBe(1024 * 1024);
  expect(() => writeFileSync(path.join(made, "file"), Buffer.alloc(2 << 20))).toThrow("ENOSPC");
  // A second time, be it by another agent, it is the same.
  expect(await directories.ensureMemory(UID, "v", 1024)).toEqual({ path: made });
  await directories.remove(UID);
  expect(await mountsBelow(root)).toEqual([]);
  expect(directories.list()).toEqual([]);
});

test.runIf(isRoot)("a volume of memory can be unmounted and mounted again", async () => {
  const { path: made } = await directories.ensureMemory(UID, "v", 4096);
  writeFileSync(path.join(made, "file"), "");
  await directories.unmountAll();
  expect(await mountsBelow(root)).toEqual([]);
  await directories.ensureMemory(UID, "v", 4096);
  expect(readdirSync(made)).toEqual([]);
  expect(await mountsBelow(root)).toEqual([made]);
});

test("where nothing may be mounted it is a directory of shared memory", async () => {
  const refusing = { mountMemory: async () => "not permitted" } as unknown as Mounter;
  const without = new VolumeDirectories(root, refusing);
  const { path: made, lack } = await without.ensureMemory(UID, "v", 1024);
  expect(lack).toBe("not permitted");
  expect(made).toBe(`/dev/shm/tally-${UID}-v/data`);
  expect(lstatSync(path.dirname(made)).mode & 0o777).toBe(0o700);
  expect((await without.ensureMemory(UID, "v", 1024)).path).toBe(made);
  await without.remove(UID);
  expect(existsSync(path.dirname(made))).toBe(false);
});

test("what a mount said when it failed is known", async () => {
  const words = await mounter.mountMemory(path.join(root, "not-there"), undefined);
  expect(words).toContain("not-there");
});
