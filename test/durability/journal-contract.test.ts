import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Journal, JournalBatch } from "../../src/store/journal.ts";
import { openLmdbJournal } from "../../src/store/lmdb-journal.ts";
import { DroppingJournal } from "./dropping-journal.ts";

interface Place {
  open(): Promise<Journal>;
}

const PLACES: { readonly [name: string]: () => Promise<Place> } = {
  lmdb: async () => {
    const directory = await temporaryDirectory();
    return { open: () => openLmdbJournal(directory) };
  },
  double: async () => {
    let journal = new DroppingJournal({ isAutomatic: true });
    return {
      open: async () => {
        journal = journal.kill();
        return journal;
      },
    };
  },
};

const directories: string[] = [];
afterEach(async () => {
  for (const path of directories.splice(0)) await rm(path, { recursive: true, force: true });
});

describe.each(Object.keys(PLACES))("a journal (%s)", (name) => {
  test("that is new is empty", async () => {
    const place = await newPlace(name);
    expect(await found(await place.open())).toBeUndefined();
  });

  test("returns the last state of every key, and the last revisions", async () => {
    const place = await newPlace(name);
    const journal = await place.open();
    await journal.append(batch({ revision: 5, puts: { a: "1", b: "1", c: "1" } }));
    await journal.append(batch({ revision: 9, puts: { b: "2" }, deletes: ["a", "never there"] }));
    await journal.close();
    expect(await found(await place.open())).toEqual({
      revision: 9,
      reserved: 109,
      objects: { b: "2", c: "1" },
    });
  });

  test("keeps a batch without objects", async () => {
    const place = await newPlace(name);
    const journal = await place.open();
    await journal.append(batch({ revision: 3 }));
    await journal.close();
    expect(await found(await place.open())).toMatchObject({ revision: 3, objects: {} });
  });

  test("keeps keys and values as they are, byte for byte", async () => {
    const place = await newPlace(name);
    const journal = await place.open();
    const puts = { "jobs.batch\0größe\0日本": "ü\0\u2028", long: "x".repeat(3_000_000) };
    await journal.append(batch({ revision: 2, puts: { ...puts, empty: "" } }));
    await journal.close();
    const contents = await found(await place.open());
    expect(contents?.objects).toEqual({ ...puts, empty: "" });
  });

  test("keeps a batch larger than any buffer of its own", async () => {
    const place = await newPlace(name);
    const journal = await place.open();
    const puts = Object.fromEntries(
      Array.from({ length: 5000 }, (_, n) => [`key-${n}`, `${n} ${"y".repeat(2000)}`]),
    );
    await journal.append(batch({ revision: 2, puts }));
    await journal.close();
    expect((await found(await place.open()))?.objects).toEqual(puts);
  });

  test("keeps notes apart from objects, in order of their keys", async () => {
    const place = await newPlace(name);
    const journal = await place.open();
    const notes = { "b\0\x01": "1", a: "ü", "b\0": "", b: "2" };
    await journal.append(batch({ revision: 5, puts: { a: "object" }, notes }));
    expect(notesFrom(journal, "")).toEqual(["a=ü", "b=2", "b\0=", "b\0\x01=1"]);
    await journal.append(batch({ revision: 6, notes: { b: "3", a: undefined, never: undefined } }));
    expect(notesFrom(journal, "b\0")).toEqual(["b\0=", "b\0\x01=1"]);
    await journal.close();
    const reopened = await place.open();
    expect(notesFrom(reopened, "")).toEqual(["b=3", "b\0=", "b\0\x01=1"]);
    expect([reopened.findNote("a"), textOf(reopened.findNote("b"))]).toEqual([undefined, "3"]);
    expect((await found(reopened))?.objects).toEqual({ a: "object" });
  });
});

async function newPlace(name: string): Promise<Place> {
  const make = PLACES[name];
  if (!make) throw new Error(`no such place: ${name}`);
  return make();
}

async function temporaryDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "tally-journal-"));
  directories.push(path);
  return path;
}

function batch(parts: {
  readonly revision: number;
  readonly puts?: { readonly [key: string]: string };
  readonly deletes?: readonly string[];
  readonly notes?: { readonly [key: string]: string | undefined };
}): JournalBatch {
  const { revision, puts = {}, deletes = [], notes = {} } = parts;
  const bytes = Object.entries(puts).map(([key, text]) => [key, Buffer.from(text)] as const);
  const noted = Object.entries(notes).map(
    ([key, text]) => [key, text === undefined ? undefined : Buffer.from(text)] as const,
  );
  return { revision, reserved: revision + 100, puts: bytes, deletes, notes: new Map(noted) };
}

function notesFrom(journal: Journal, from: string): string[] {
  return [...journal.notesFrom(from)].map(({ key, bytes }) => `${key}=${textOf(bytes)}`);
}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes && Buffer.from(bytes).toString("utf8");
}

async function found(journal: Journal) {
  const contents = await journal.load();
  if (!contents) return undefined;
  const objects = Object.fromEntries(
    [...contents.objects].map(([key, bytes]) => [key, Buffer.from(bytes).toString("utf8")]),
  );
  await journal.close();
  return { ...contents, objects };
}
