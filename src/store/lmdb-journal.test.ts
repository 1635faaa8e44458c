import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "lmdb";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openLmdbJournal } from "./lmdb-journal.ts";
import { openStore } from "./open.ts";
import { StorageFailed } from "./types.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "tally-lmdb-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

test.each([
  ["a newer format", '{"format":7,"revision":1,"reserved":1}', "format version 7"],
  ["an unreadable format", "nonsense", "format version unknown"],
])("opening %s fails, reports the version and changes nothing", async (_, record, message) => {
  const database = open<Buffer, Buffer>({
    path: join(dataDir, "store"),
    noSubdir: false,
    encoding: "binary",
    keyEncoding: "binary",
  });
  await database.put(Buffer.from("\0state"), Buffer.from(record));
  await database.close();
  const before = await digest();
  const refused = openStore({ dataDir });
  await expect(refused).rejects.toThrow(message);
  await expect(refused).rejects.toThrow(dataDir);
  await expect(refused).rejects.toThrow("reads format versions up to 2");
  expect(await digest()).toBe(before);
});

test.each([
  ["a file that is not a database", () => "this is not a database".repeat(1000)],
  ["an empty file", () => ""],
  ["a database cut within its first page", (bytes: Buffer) => bytes.subarray(0, 4000)],
  ["a database without its last pages", (bytes: Buffer) => bytes.subarray(0, 3 * 4096)],
])("opening %s fails and changes nothing", async (_, spoil) => {
  await (await openStore({ dataDir })).close();
  await (await openStore({ dataDir })).close();
  await writeFile(databaseFile(), spoil(await readFile(databaseFile())));
  const before = await digest();
  await expect(openStore({ dataDir })).rejects.toThrow(`${databaseFile()} is not a database`);
  expect(await digest()).toBe(before);
});

test("after a failure, a database whose directory was removed is not created again", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const journal = await openLmdbJournal(dataDir);
  const put = (key: string) => journal.append({ ...STATE, puts: [[key, Buffer.from("1")]] });
  await put("a");
  await expect(put("k".repeat(5000))).rejects.toThrow(StorageFailed);
  await put("b");
  await expect(put("k".repeat(5000))).rejects.toThrow(StorageFailed);
  await rm(join(dataDir, "store"), { recursive: true });
  await expect(put("c")).rejects.toThrow(`the database is no longer there on ${dataDir}`);
  await journal.close();
  vi.restoreAllMocks();
});

test.each([
  ["an empty file", () => Buffer.alloc(0)],
  ["zeros", (bytes: Buffer) => Buffer.alloc(bytes.length)],
  ["half a page", (bytes: Buffer) => bytes.subarray(0, 2000)],
])("an unfinished new database (%s) is created again", async (_, spoil) => {
  await (await openLmdbJournal(dataDir)).close();
  const unborn = join(dataDir, "store.new", "data.mdb");
  await writeFile(unborn, spoil(await readFile(unborn)));
  const store = await openStore({ dataDir });
  expect((await stat(databaseFile())).size).toBeGreaterThan(0);
  await store.close();
});

test("the file grows with its contents", async () => {
  const journal = await openLmdbJournal(dataDir);
  const bytes = Buffer.alloc(1024 * 1024, "x");
  for (let revision = 1; revision <= 40; revision++) {
    await journal.append({
      revision,
      reserved: revision,
      ...NOTHING,
      puts: [[`k${revision}`, bytes]],
    });
  }
  await journal.close();
  expect((await stat(databaseFile())).size).toBeGreaterThan(40 * bytes.length);
  const reopened = await openLmdbJournal(dataDir);
  const contents = await reopened.load();
  expect([...(contents?.objects ?? [])]).toHaveLength(40);
  await reopened.close();
});

const NOTHING = { puts: [], deletes: [], notes: new Map() };
const STATE = { revision: 1, reserved: 1, ...NOTHING };

function databaseFile(): string {
  return join(dataDir, "store", "data.mdb");
}

async function digest(): Promise<string> {
  return createHash("sha256")
    .update(await readFile(databaseFile()))
    .digest("hex");
}
