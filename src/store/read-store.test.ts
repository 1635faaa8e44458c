import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Draft, KubeObject } from "../api/object.ts";
import { openStore } from "./open.ts";
import { openStoreReader } from "./read-store.ts";

let dataDir = "";
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), "tally-reader-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

test("a reader reads synced objects and notes without opening the store for writing", async () => {
  const store = await openStore({ dataDir, notesOf: ({ key }) => [aNote(key.name)] });
  for (const [namespace, name] of [
    ["a", "one"],
    ["a", "two"],
    ["a-b", "three"],
    ["b", "four"],
  ] as const) {
    store.create({ resource: "jobs", namespace, name }, object(namespace, name));
  }
  store.create({ resource: "jobs2", namespace: "a", name: "other" }, object("a", "other"));
  await store.durable(store.revision);
  await store.close();
  const reader = await openStoreReader(dataDir);
  expect(reader?.get({ resource: "jobs", namespace: "a", name: "two" })).toMatchObject({
    metadata: { name: "two", resourceVersion: "3" },
  });
  expect(reader?.get({ resource: "jobs", namespace: "a", name: "none" })).toBeUndefined();
  const names = (namespace?: string) =>
    reader?.list("jobs", namespace === undefined ? {} : { namespace }).items.map(nameOf);
  expect(names("a")).toEqual(["one", "two"]);
  expect(names()?.sort()).toEqual(["four", "one", "three", "two"]);
  const notes = reader?.listNotes({ prefix: "note-", from: "note-o", limit: 2 });
  expect(notes?.map(({ key }) => key)).toEqual(["note-one", "note-other"]);
  await reader?.close();
  await reader?.close();
});

test("reading an empty or missing directory returns nothing and creates nothing", async () => {
  expect(await openStoreReader(dataDir)).toBeUndefined();
  expect(await openStoreReader(path.join(dataDir, "none"))).toBeUndefined();
});

test("a file that is not a database is rejected", async () => {
  await mkdir(path.join(dataDir, "store"));
  writeFileSync(path.join(dataDir, "store", "data.mdb"), "x".repeat(20_000));
  await expect(openStoreReader(dataDir)).rejects.toThrow("is not a database");
});

function object(namespace: string, name: string): Draft<KubeObject> {
  return { apiVersion: "v1", kind: "Thing", metadata: { namespace, name } };
}

function aNote(name: string) {
  return { key: `note-${name}`, bytes: Buffer.from(name) };
}

function nameOf({ metadata }: KubeObject): string | undefined {
  return metadata.name;
}
