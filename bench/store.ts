/**
 * The store alone: the cost of a create as the number of objects grows, and the speed of the disk.
 */
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Draft, KubeObject } from "../src/api/object.ts";
import { openMemoryStore, openStore } from "../src/store/open.ts";
import type { ObjectKey, Store } from "../src/store/types.ts";
import { type Row, table } from "./report.ts";

export async function benchStore(): Promise<void> {
  table("store in memory, objects of 2 KB", [...(await inMemory())]);
  table("store on disk, objects of 2 KB, every write synced", [...(await onDisk())]);
}

async function inMemory(): Promise<Row[]> {
  const store = openMemoryStore({}, { freeze: false });
  const rows: Row[] = [];
  let count = 0;
  for (const stored of [1000, 100_000]) {
    while (store.count(RESOURCE) < stored) create(store, count++);
    const sample = 1000;
    const begin = performance.now();
    for (let n = 0; n < sample; n++) create(store, count++);
    const micros = ((performance.now() - begin) * 1000) / sample;
    const what = `create with ${stored.toLocaleString("en")} stored`;
    rows.push({
      what,
      value: `${micros.toFixed(1)} µs`,
      beside: "must not grow with what is stored",
    });
    await store.durable(store.revision);
  }
  const begin = performance.now();
  const pages = 100;
  let page = store.list(RESOURCE, { limit: 500 });
  for (let n = 1; n < pages && page.more; n++) page = store.list(RESOURCE, nextPage(page));
  const micros = ((performance.now() - begin) * 1000) / pages;
  rows.push({
    what: "page of 500",
    value: `${micros.toFixed(0)} µs`,
    beside: "of 102,000 objects",
  });
  await store.close();
  return rows;
}

function nextPage(page: ReturnType<Store["list"]>) {
  const last = page.items.at(-1)?.metadata;
  const after = { namespace: last?.namespace ?? "", name: last?.name ?? "" };
  return { limit: 500, at: page.revision, after };
}

async function onDisk(): Promise<Row[]> {
  const dataDir = await mkdtemp(join(tmpdir(), "tally-bench-store-"));
  const store = await openStore({ dataDir });
  let count = 0;
  const rows: Row[] = [await rawSync(dataDir)];
  for (const [writers, total, goal] of [
    [1, 2000, 1500],
    [256, 100_000, 10_000],
  ] as const) {
    const end = count + total;
    const begin = performance.now();
    const writer = async () => {
      while (count < end) await store.durable(Number(create(store, count++)));
    };
    await Promise.all(Array.from({ length: writers }, writer));
    const rate = Math.round(total / ((performance.now() - begin) / 1000));
    const what = `creates by ${writers} writer${writers === 1 ? "" : "s"}`;
    rows.push({ what, value: `${rate.toLocaleString("en")}/s`, beside: `goal ${goal}/s` });
  }
  await store.close();
  const begin = performance.now();
  const reopened = await openStore({ dataDir });
  const seconds = ((performance.now() - begin) / 1000).toFixed(2);
  const what = `reopening ${reopened.count(RESOURCE).toLocaleString("en")} objects`;
  rows.push({ what, value: `${seconds} s`, beside: "reading and parsing all" });
  await reopened.close();
  await rm(dataDir, { recursive: true, force: true });
  return rows;
}

/** The cost of the disk itself; a commit needs two of these in sequence. */
async function rawSync(directory: string): Promise<Row> {
  const file = await open(join(directory, "raw"), "w");
  const page = Buffer.alloc(4096);
  const rounds = 500;
  const begin = performance.now();
  for (let n = 0; n < rounds; n++) {
    await file.write(page, 0, page.length, 0);
    await file.datasync();
  }
  const millis = (performance.now() - begin) / rounds;
  await file.close();
  const beside = `two per commit: at most ${Math.round(500 / millis)} commits/s`;
  return { what: "write and sync of 4 KB", value: `${millis.toFixed(2)} ms`, beside };
}

const RESOURCE = "configmaps";
const FILLER = "x".repeat(1800);

/** Names in random order, like generated names. */
function create(store: Store, n: number): string {
  const name = `job-${((n * 2654435761) % 4294967296).toString(36)}-${n}`;
  const key: ObjectKey = { resource: RESOURCE, namespace: `team-${n % 10}`, name };
  return store.create(key, anObject(key)).metadata.resourceVersion ?? "";
}

function anObject({ namespace, name }: ObjectKey): Draft<KubeObject> {
  const metadata = { name, namespace, uid: `uid-of-${name}`, labels: { app: "bench" } };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { filler: FILLER } };
  return object;
}
