import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { DroppingJournal } from "../../test/durability/dropping-journal.ts";
import { aSample, keyOf } from "../../test/durability/objects.ts";
import { openMemoryStore, openOnJournal, openStore } from "./open.ts";
import { type Change, type Note, StorageFailed, type Store } from "./types.ts";

/** A note for every change, with the last change of the object of that name. */
function notesOf({ key, type, revision }: Change): Note[] {
  return [{ key: `n\0${key.name}`, bytes: Buffer.from(`${type} ${revision}`) }];
}

test("a note can be read as soon as its change is applied, and after a restart", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "tally-notes-"));
  const store = await openStore({ dataDir, notesOf });
  const made = store.create(keyOf("a"), aSample(keyOf("a")));
  const expected = [`n\0a=ADDED ${made.metadata.resourceVersion}`];
  expect(read(store)).toEqual(expected);
  await store.durable(store.revision);
  expect(read(store)).toEqual(expected);
  await store.close();
  const reopened = await openStore({ dataDir, notesOf });
  expect(read(reopened)).toEqual(expected);
  await reopened.removeNotes(["n\0a"]);
  expect(read(reopened)).toEqual([]);
  await reopened.close();
  await rm(dataDir, { recursive: true });
});

test("listNotes honours from, prefix and limit", async () => {
  const store = openMemoryStore({}, { notesOf: ({ key }) => [note(key.name)] });
  const write = (names: readonly string[]) => {
    for (const name of names) store.create(keyOf(name), aSample(keyOf(name)));
  };
  write(["a.1", "b.1", "b.3", "c.1"]);
  await store.durable(store.revision);
  write(["b.2", "b.4", "d.1"]);
  const keys = (range: Partial<Parameters<Store["listNotes"]>[0]>) =>
    store.listNotes({ prefix: "b.", limit: 10, ...range }).map(({ key }) => key);
  expect(keys({})).toEqual(["b.1", "b.2", "b.3", "b.4"]);
  expect(keys({ from: "b.2" })).toEqual(["b.2", "b.3", "b.4"]);
  expect(keys({ from: "b.2\0", limit: 1 })).toEqual(["b.3"]);
  expect(keys({ from: "a" })).toEqual(["b.1", "b.2", "b.3", "b.4"]);
  expect(keys({ from: "c" })).toEqual([]);
  expect(keys({ prefix: "", limit: 3 })).toEqual(["a.1", "b.1", "b.2"]);
  await store.close();
});

test("listNotes merges pending notes with notes on disk", async () => {
  const name = fc.constantFrom("a", "b", "c", "d", "e");
  const step = fc.record({ name, kind: fc.constantFrom("put", "put", "remove", "sync") });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), name, async (steps, from) => {
      const journal = new DroppingJournal({ isAutomatic: true });
      const store = await openOnJournal(journal, { notesOf });
      journal.isAutomatic = false;
      const model = new Map<string, string>();
      for (const { name: at, kind } of steps) {
        if (kind === "put") model.set(`n\0${at}`, change(store, at));
        else if (kind === "sync") await synced(journal);
        else {
          void store.removeNotes([`n\0${at}`]);
          model.delete(`n\0${at}`);
        }
        const expected = [...model].sort().map((pair) => pair.join("="));
        expect(read(store)).toEqual(expected);
        const after = expected.filter((line) => line >= `n\0${from}`);
        expect(read(store, `n\0${from}`)).toEqual(after);
      }
      journal.isAutomatic = true;
      await store.close();
    }),
    { numRuns: 100 },
  );
});

test.each([false, true])(
  "a failed batch leaves its notes unchanged, even if it was written: %s",
  async (isWritten) => {
    const journal = new DroppingJournal({ isAutomatic: true });
    const store = await openOnJournal(journal, { notesOf });
    change(store, "a");
    await store.durable(store.revision);
    const before = read(store);
    journal.isAutomatic = false;
    change(store, "a");
    change(store, "b");
    const lost = store.durable(store.revision);
    const removed = store.removeNotes(["n\0a"]);
    await settled();
    expect(read(store)).toHaveLength(1);
    journal.fail(new StorageFailed("no space left"), { isWritten });
    await expect(lost).rejects.toThrow("no space left");
    await expect(removed).rejects.toThrow("no space left");
    expect(read(store)).toEqual(before);
    journal.isAutomatic = true;
    change(store, "c");
    await store.durable(store.revision);
    const reopened = await openOnJournal(journal.kill());
    expect(read(reopened).slice(0, 1)).toEqual(before);
    expect(read(reopened)).toHaveLength(2);
  },
);

test("notes that throw or have an invalid key are reported, and the change is kept", () => {
  const reported: unknown[] = [];
  const bad: { readonly [name: string]: () => Note[] } = {
    thrown: () => {
      throw new Error("a bug");
    },
    empty: () => [note("")],
    foreign: () => [note("größe")],
    long: () => [note("x".repeat(1000))],
  };
  const store = openMemoryStore(
    {},
    { notesOf: ({ key }) => bad[key.name]?.() ?? [], report: (error) => reported.push(error) },
  );
  for (const name of Object.keys(bad)) store.create(keyOf(name), aSample(keyOf(name)));
  expect(reported.map(String)).toEqual([
    "Error: a bug",
    "Error: a note of configmaps default/empty has no usable key",
    "Error: a note of configmaps default/foreign has no usable key",
    "Error: a note of configmaps default/long has no usable key",
  ]);
  expect([store.count("configmaps"), read(store)]).toEqual([4, []]);
});

test("removing notes from a closed store fails", async () => {
  const store = openMemoryStore();
  await store.close();
  await expect(store.removeNotes(["a"])).rejects.toThrow("closed");
});

function note(key: string): Note {
  return { key, bytes: Buffer.from(key) };
}

/** Writes the object of that name, and returns the text of its note. */
function change(store: Store, name: string): string {
  const key = keyOf(name);
  const current = store.get(key);
  const version = current?.metadata.resourceVersion ?? "";
  const written = current
    ? store.update(key, aSample(key), version)
    : store.create(key, aSample(key));
  return `${current ? "MODIFIED" : "ADDED"} ${written.metadata.resourceVersion}`;
}

function read(store: Store, from = ""): string[] {
  return store
    .listNotes({ prefix: "", from, limit: 100 })
    .map(({ key, bytes }) => `${key}=${Buffer.from(bytes).toString()}`);
}

async function synced(journal: DroppingJournal): Promise<void> {
  await settled();
  journal.sync();
  await settled();
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
