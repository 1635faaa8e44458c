import { expect, test } from "vitest";
import { DroppingJournal } from "../../test/durability/dropping-journal.ts";
import { aSample, keyOf, revisionOf, sampleValue } from "../../test/durability/objects.ts";
import type { KubeObject } from "../api/object.ts";
import { openMemoryStore, openOnJournal } from "./open.ts";
import {
  type Change,
  ExpiredRevision,
  KeyExists,
  KeyMissing,
  RevisionMismatch,
  StorageFailed,
  type Store,
} from "./types.ts";

const RESOURCE = "configmaps";

test("a write takes the next revision, is visible at once and sets resourceVersion", () => {
  const store = openMemoryStore();
  const first = store.create(keyOf("a"), aSample(keyOf("a"), "1"));
  expect(first.metadata.resourceVersion).toBe(String(store.revision));
  const second = store.update(keyOf("a"), aSample(keyOf("a"), "2"), versionOf(first));
  expect(revisionOf(second)).toBe(revisionOf(first) + 1);
  expect(store.get(keyOf("a"))).toBe(second);
  const removed = store.remove(keyOf("a"), versionOf(second));
  expect(revisionOf(removed)).toBe(revisionOf(second) + 1);
  expect(sampleValue(removed)).toBe("2");
  expect(store.get(keyOf("a"))).toBeUndefined();
  expect(store.count(RESOURCE)).toBe(0);
});

test("a rejected write changes nothing", () => {
  const store = openMemoryStore();
  const created = store.create(keyOf("a"), aSample(keyOf("a")));
  const before = store.revision;
  expect(() => store.create(keyOf("a"), aSample(keyOf("a")))).toThrow(KeyExists);
  expect(() => store.update(keyOf("b"), aSample(keyOf("b")), "1")).toThrow(KeyMissing);
  expect(() => store.remove(keyOf("b"), "1")).toThrow(KeyMissing);
  expect(() => store.update(keyOf("a"), aSample(keyOf("a")), "1")).toThrow(RevisionMismatch);
  expect(() => store.remove(keyOf("a"), "1")).toThrow(RevisionMismatch);
  expect(() => store.create(keyOf("é".repeat(1000)), aSample(keyOf("c")))).toThrow(RangeError);
  expect(store.revision).toBe(before);
  expect(store.list(RESOURCE).items).toEqual([created]);
});

test("lists follow etcd's key order, in which a-b comes before a", () => {
  const store = openMemoryStore();
  for (const namespace of ["a", "a-b", "b"]) {
    store.create(keyOf("x", namespace), aSample(keyOf("x", namespace)));
  }
  const order = store.list(RESOURCE).items.map(({ metadata }) => metadata.namespace);
  expect(order).toEqual(["a-b", "a", "b"]);
});

test("a page reports more objects even if none of the rest match", () => {
  const store = filled("a", "b", "c");
  const isA = (object: KubeObject) => object.metadata.name === "a";
  expect(store.list(RESOURCE, { limit: 1, matches: isA })).toMatchObject({ more: true });
  const after = { namespace: "default", name: "a" };
  const rest = store.list(RESOURCE, { limit: 1, matches: isA, after });
  expect(rest).toMatchObject({ items: [], more: false });
});

test("listing at a future revision fails", () => {
  const store = filled("a");
  expect(() => store.list(RESOURCE, { at: store.revision + 1 })).toThrow(ExpiredRevision);
});

test("an unchanged collection can be listed at revisions before the history", () => {
  const store = openMemoryStore({}, { historyLimits: { changes: 2 } });
  store.create(keyOf("a"), aSample(keyOf("a")));
  const revision = store.revision;
  const other = (name: string) => ({ ...keyOf(name), resource: "secrets" });
  for (let n = 0; n < 20; n++) store.create(other(`s${n}`), aSample(other(`s${n}`)));
  expect(store.list(RESOURCE, { at: revision }).items).toHaveLength(1);
  expect(() => store.list("secrets", { at: revision })).toThrow(ExpiredRevision);
  expect(() => store.subscribe(RESOURCE, revision, () => {})).toThrow(ExpiredRevision);
});

test("listing by an unknown index throws", () => {
  const store = filled("a");
  const lookup = { index: "color", value: "red" };
  expect(() => store.list(RESOURCE, { lookup })).toThrow('without the index "color"');
});

test("a listener that throws is reported, and the others still receive the change", async () => {
  const reported: unknown[] = [];
  const store = openMemoryStore({}, { report: (error) => reported.push(error) });
  const heard: string[] = [];
  const fail = () => {
    throw new Error("listener");
  };
  store.subscribe(RESOURCE, store.revision, fail);
  store.subscribe(RESOURCE, store.revision, ({ type }) => heard.push(type));
  store.subscribeDurable(RESOURCE, store.revision, fail);
  store.subscribeDurable(RESOURCE, store.revision, (changes) => heard.push(`${changes.length}`));
  store.onDurable(fail);
  store.onDurable((revision) => heard.push(`durable ${revision}`));
  store.create(keyOf("a"), aSample(keyOf("a")));
  await store.durable(store.revision);
  expect(heard).toEqual(["ADDED", "1", `durable ${store.revision}`]);
  expect(reported).toHaveLength(3);
});

test("all listeners receive changes in the order of their revisions, even if one writes", () => {
  const store = openMemoryStore();
  const heard: [string, number][] = [];
  store.subscribe(RESOURCE, store.revision, ({ key, revision }) => {
    heard.push(["first", revision]);
    if (key.name === "a") store.create(keyOf("b"), aSample(keyOf("b")));
  });
  store.subscribe(RESOURCE, store.revision, ({ revision }) => heard.push(["second", revision]));
  store.create(keyOf("a"), aSample(keyOf("a")));
  const [one, two] = [store.revision - 1, store.revision];
  expect(heard).toEqual([
    ["first", one],
    ["second", one],
    ["first", two],
    ["second", two],
  ]);
});

test("a listener that writes during the replay of past changes misses nothing", () => {
  const store = filled("a", "b");
  const heard: string[] = [];
  store.subscribe(RESOURCE, 1, ({ key }) => {
    heard.push(key.name);
    if (key.name === "a") store.create(keyOf("c"), aSample(keyOf("c")));
  });
  store.create(keyOf("d"), aSample(keyOf("d")));
  expect(heard).toEqual(["a", "b", "c", "d"]);
});

test("a subscription made during delivery neither misses nor repeats a change", () => {
  const store = openMemoryStore();
  const late: string[] = [];
  store.subscribe(RESOURCE, store.revision, ({ key }) => {
    if (key.name !== "a") return;
    store.create(keyOf("b"), aSample(keyOf("b")));
    store.subscribe(RESOURCE, 1, (change) => late.push(change.key.name));
    store.create(keyOf("c"), aSample(keyOf("c")));
  });
  store.create(keyOf("a"), aSample(keyOf("a")));
  expect(late).toEqual(["a", "b", "c"]);
});

test("a closed subscription receives nothing more", async () => {
  const store = openMemoryStore();
  const heard: unknown[] = [];
  const hear = (what: unknown) => heard.push(what);
  const subscriptions = [
    store.subscribe(RESOURCE, 1, hear),
    store.subscribeDurable(RESOURCE, 1, hear),
    store.onDurable(hear),
  ];
  for (const subscription of subscriptions) subscription.close();
  store.create(keyOf("a"), aSample(keyOf("a")));
  await store.durable(store.revision);
  expect(heard).toEqual([]);
});

test("the history is also limited by the size of its objects", async () => {
  const store = openMemoryStore({}, { historyLimits: { bytes: 50_000 } });
  for (let n = 0; n < 20; n++) {
    store.create(keyOf(`n${n}`), aSample(keyOf(`n${n}`), "x".repeat(10_000)));
    await store.durable(store.revision);
  }
  expect(() => store.subscribe(RESOURCE, store.revision - 10, () => {})).toThrow(ExpiredRevision);
  const heard: Change[] = [];
  store.subscribe(RESOURCE, store.revision - 3, (change) => heard.push(change));
  expect(heard).toHaveLength(3);
});

test("several changes of an object while the disk is busy become one write", async () => {
  const { store, journal } = await onDisk();
  let object = store.create(keyOf("a"), aSample(keyOf("a"), "0"));
  await turn();
  const sizes: number[] = [];
  const append = journal.append.bind(journal);
  journal.append = (batch) => {
    sizes.push(batch.puts.length + batch.deletes.length);
    return append(batch);
  };
  for (let n = 1; n <= 5; n++) {
    object = store.update(keyOf("a"), aSample(keyOf("a"), `${n}`), versionOf(object));
  }
  journal.isAutomatic = true;
  await store.durable(store.revision);
  expect(sizes).toEqual([1]);
});

test("a large burst reaches the disk in bounded batches, each a real past state", async () => {
  const { store, journal } = await onDisk();
  const sizes: number[] = [];
  const append = journal.append.bind(journal);
  journal.append = (batch) => {
    sizes.push(batch.puts.length);
    return append(batch);
  };
  for (let n = 0; n < 3000; n++) store.create(keyOf(`n${n}`), aSample(keyOf(`n${n}`)));
  store.update(keyOf("n0"), aSample(keyOf("n0"), "late"), versionOf(store.get(keyOf("n0"))));
  await turn();
  journal.sync();
  await turn();
  const recovered = await openOnJournal(restarted(journal));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1024);
  expect(recovered.count(RESOURCE)).toBe(sizes[0]);
  expect(sampleValue(recovered.get(keyOf("n0")))).toBe("");
});

test("writes made together reach the disk in one batch, however many there are", async () => {
  const { store, journal } = await onDisk();
  for (let n = 0; n < 1000; n++) store.create(keyOf(`n${n}`), aSample(keyOf(`n${n}`)));
  store.together(100, () => {
    for (let n = 1000; n < 1100; n++) store.create(keyOf(`n${n}`), aSample(keyOf(`n${n}`)));
  });
  store.create(keyOf("later"), aSample(keyOf("later")));
  await turn();
  journal.sync();
  await turn();
  const recovered = await openOnJournal(restarted(journal));
  expect(recovered.count(RESOURCE)).toBe(1100);
});

test("writes made together are rejected as a whole if too few revisions are reserved", async () => {
  const { store } = await onDisk(1000);
  const write = () => store.create(keyOf("a"), aSample(keyOf("a")));
  expect(() => store.together(600, write)).toThrow(StorageFailed);
  expect(store.count(RESOURCE)).toBe(0);
});

test("durable subscribers receive a change only after it is synced", async () => {
  const { store, journal } = await onDisk();
  const heard: number[] = [];
  store.subscribeDurable(RESOURCE, store.revision, (changes) => heard.push(changes.length));
  const start = store.durableRevision;
  store.create(keyOf("a"), aSample(keyOf("a")));
  await turn();
  expect([heard, store.durableRevision]).toEqual([[], start]);
  const late: number[] = [];
  store.subscribeDurable(RESOURCE, start, (changes) => late.push(changes.length));
  expect(late).toEqual([]);
  journal.sync();
  await store.durable(store.revision);
  expect([heard, late, store.durableRevision]).toEqual([[1], [1], store.revision]);
});

test("when the disk fails, memory returns to the state on disk", async () => {
  const { store, journal } = await onDisk();
  journal.isAutomatic = true;
  const kept = store.create(keyOf("kept"), aSample(keyOf("kept"), "old"));
  const gone = store.create(keyOf("gone"), aSample(keyOf("gone"), "old"));
  await store.durable(store.revision);
  journal.isAutomatic = false;
  const inside = new Map(store.list(RESOURCE).items.map((item) => [item.metadata.name, item]));
  const outside: Change[] = [];
  store.subscribe(RESOURCE, store.revision, ({ type, key, object }) => {
    if (type === "DELETED") inside.delete(key.name);
    else inside.set(key.name, object);
  });
  store.subscribeDurable(RESOURCE, store.revision, (changes) => outside.push(...changes));

  const writes = [
    store.update(keyOf("kept"), aSample(keyOf("kept"), "new"), versionOf(kept)),
    store.remove(keyOf("gone"), versionOf(gone)),
    store.create(keyOf("new"), aSample(keyOf("new"))),
  ];
  const outcomes = Promise.allSettled(writes.map((write) => store.durable(revisionOf(write))));
  await turn();
  journal.fail(new StorageFailed("no space left on /data"));
  for (const outcome of await outcomes) {
    expect(outcome).toMatchObject({ status: "rejected", reason: { name: "StorageFailed" } });
  }

  expect(store.list(RESOURCE).items).toEqual([gone, kept]);
  expect([...inside.values()]).toEqual(expect.arrayContaining([gone, kept]));
  expect(inside.size).toBe(2);
  expect(store.revision).toBeGreaterThan(revisionOf(writes[2] as KubeObject));
  await store.durable(store.revision);
  await expect(store.durable(revisionOf(writes[0] as KubeObject))).rejects.toThrow("no space left");

  journal.isAutomatic = true;
  const again = store.update(keyOf("kept"), aSample(keyOf("kept"), "again"), versionOf(kept));
  await store.durable(revisionOf(again));
  expect(outside.map(({ object }) => sampleValue(object))).toEqual(["again"]);
  const replayed: Change[] = [];
  store.subscribeDurable(RESOURCE, revisionOf(gone), (changes) => replayed.push(...changes));
  expect(replayed).toEqual(outside);
});

test("writes that listeners make during an undo are delivered after it and synced", async () => {
  const { store, journal } = await onDisk();
  const heard: string[] = [];
  store.subscribe(RESOURCE, store.revision, ({ type, key }) => {
    heard.push(`${type} ${key.name}`);
    if (type === "DELETED" && key.name === "a") store.create(keyOf("c"), aSample(keyOf("c")));
  });
  store.create(keyOf("a"), aSample(keyOf("a")));
  store.create(keyOf("b"), aSample(keyOf("b")));
  await turn();
  journal.fail(new StorageFailed("no space left"));
  journal.isAutomatic = true;
  await turn();
  expect(heard).toEqual(["ADDED a", "ADDED b", "DELETED a", "DELETED b", "ADDED c"]);
  await turn();
  expect(store.durableRevision).toBe(store.revision);
  expect(store.list(RESOURCE).items.map(({ metadata }) => metadata.name)).toEqual(["c"]);
});

test("while the disk fails, writes fail before revisions run out, and resume later", async () => {
  const { store, journal } = await onDisk(20);
  const highest = store.revision + 20;
  const attempt = async () => {
    store.create(keyOf("a"), aSample(keyOf("a")));
    const outcome = store.durable(store.revision).catch(() => {});
    await turn();
    journal.fail(new StorageFailed("no space left"));
    await outcome;
  };
  await expect(
    (async () => {
      for (let n = 0; n < 20; n++) await attempt();
    })(),
  ).rejects.toThrow("no space left");
  expect(store.revision).toBeLessThanOrEqual(highest);
  expect(store.list(RESOURCE).items).toEqual([]);
  journal.isAutomatic = true;
  await turn();
  store.create(keyOf("a"), aSample(keyOf("a")));
  await store.durable(store.revision);
});

test("after a clean close revisions continue without a gap, and the history is gone", async () => {
  const { store, journal } = await onDisk();
  journal.isAutomatic = true;
  store.create(keyOf("a"), aSample(keyOf("a"), "1"));
  const { revision } = store;
  await store.close();
  expect(() => store.create(keyOf("b"), aSample(keyOf("b")))).toThrow("closed");
  const next = await openOnJournal(restarted(journal));
  expect([next.revision, next.durableRevision]).toEqual([revision, revision]);
  expect(sampleValue(next.get(keyOf("a")))).toBe("1");
  expect(() => next.subscribe(RESOURCE, revision - 1, () => {})).toThrow(ExpiredRevision);
  expect(() => next.list(RESOURCE, { at: revision - 1 })).toThrow(ExpiredRevision);
  expect(next.list(RESOURCE, { at: revision }).items).toHaveLength(1);
  const heard: Change[] = [];
  next.subscribe(RESOURCE, revision, (change) => heard.push(change));
  next.create(keyOf("b"), aSample(keyOf("b")));
  expect(heard).toHaveLength(1);
});

test("closing waits until pending writes are synced", async () => {
  const { store, journal } = await onDisk();
  store.create(keyOf("a"), aSample(keyOf("a")));
  const closed = store.close();
  await turn();
  journal.isAutomatic = true;
  await closed;
  expect((await openOnJournal(restarted(journal))).count(RESOURCE)).toBe(1);
});

function filled(...names: string[]): Store {
  const store = openMemoryStore();
  for (const name of names) store.create(keyOf(name), aSample(keyOf(name)));
  return store;
}

async function onDisk(reserveSize = 10_000) {
  const journal = new DroppingJournal({ isAutomatic: true });
  const store = await openOnJournal(journal, { reserveSize, freeze: true });
  journal.isAutomatic = false;
  return { store, journal };
}

function restarted(journal: DroppingJournal): DroppingJournal {
  const next = journal.kill();
  next.isAutomatic = true;
  return next;
}

function versionOf(object: KubeObject | undefined): string {
  return object?.metadata.resourceVersion ?? "";
}

/** Waits until everything has happened that does not need the disk. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
