import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { extendFile, fileSizeNeeded, type PageStats } from "./disk-room.ts";

const PAGE = 4096;
const ADDING = { putSizes: [], deletes: 0, makesRoom: false };

test.each([
  ["no page is unused", { pages: 100, inUse: 98 }, { puts: 1, deletes: 0 }, 100 + 16 + 3],
  ["each delete copies a page", { pages: 100, inUse: 98 }, { puts: 0, deletes: 5 }, 100 + 16 + 5],
  ["half of the unused pages count", { pages: 100, inUse: 88 }, { puts: 1, deletes: 0 }, 114],
  ["enough pages are unused", { pages: 100, inUse: 8 }, { puts: 1, deletes: 0 }, 100],
])("the file must grow beyond the last page: %s", (_, { pages, inUse }, change, expected) => {
  const putSizes = Array.from({ length: change.puts }, () => 2000);
  const asked = { putSizes, deletes: change.deletes };
  const needed = fileSizeNeeded(stats(pages, inUse), { ...asked, makesRoom: true });
  expect(needed / PAGE).toBe(expected);
});

test("a change that adds objects leaves pages free for a change that only deletes", () => {
  const change = { putSizes: [PAGE], deletes: 1 };
  const adding = fileSizeNeeded(stats(100, 98), { ...change, makesRoom: false });
  const removing = fileSizeNeeded(stats(100, 98), { ...change, makesRoom: true });
  expect((adding - removing) / PAGE).toBe(128);
});

test("large values need as many pages as they fill", () => {
  const small = fileSizeNeeded(stats(100, 98), { ...ADDING, putSizes: [PAGE] });
  const large = fileSizeNeeded(stats(100, 98), { ...ADDING, putSizes: [100 * PAGE] });
  expect((large - small) / PAGE).toBe(99);
});

test("extending a file appends zeros and keeps its contents", async () => {
  const directory = await mkdtemp(join(tmpdir(), "tally-room-"));
  const path = join(directory, "file");
  const contents = Buffer.alloc(3_000_000, "x");
  await writeFile(path, contents);
  const length = await extendFile(path, 1_000_000);
  const grown = await extendFile(path, 3_500_000);
  const bytes = await readFile(path);
  expect(length).toBeGreaterThanOrEqual(contents.length);
  expect(grown).toBeGreaterThanOrEqual(3_500_000);
  expect(bytes.length).toBe(grown);
  expect(bytes.subarray(0, contents.length).equals(contents)).toBe(true);
  expect(bytes.subarray(contents.length).every((byte) => byte === 0)).toBe(true);
  await rm(directory, { recursive: true, force: true });
});

function stats(pages: number, inUse: number): PageStats {
  const tree = { treeBranchPageCount: 0, treeLeafPageCount: inUse, overflowPages: 0 };
  const none = { treeBranchPageCount: 0, treeLeafPageCount: 0, overflowPages: 0 };
  return { pageSize: PAGE, lastPageNumber: pages - 1, root: tree, free: none };
}
