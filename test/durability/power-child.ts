/**
 * The store in its own process, for tests of power cuts. "write" runs a life that is recorded: it
 * prints the state after every write, and when all of it is durable. "recover" opens the data
 * directories named on its input, one after the other, and prints what it finds.
 */
import { createHash } from "node:crypto";
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { seededRandom } from "../../src/base/random.ts";
import { openStore } from "../../src/store/open.ts";
import type { Change, Note, Store } from "../../src/store/types.ts";
import { aSample, keyOf } from "./objects.ts";

const NAMES = ["a", "b", "c", "d", "e", "f", "g", "h"];
/** Some values do not fit into a page, and some change the shape of the tree. */
const SIZES = [10, 200, 900, 3000, 9000];

async function write(dataDir: string, transactions: number): Promise<void> {
  const random = seededRandom(7);
  const store = await openStore({ dataDir, notesOf });
  say(`wrote ${store.revision} ${digestOf(store)}`);
  say("durable");
  for (let transaction = 0; transaction < transactions; transaction++) {
    for (let count = 1 + random.below(4); count > 0; count--) {
      const name = NAMES[random.below(NAMES.length)] ?? "";
      const size = SIZES[random.below(SIZES.length)] ?? 0;
      writeOne(store, name, random.below(4) === 0 ? undefined : `${transaction}`.padEnd(size, "x"));
      say(`wrote ${store.revision} ${digestOf(store)}`);
    }
    await store.durable(store.revision);
    say("durable");
    const notes = store.listNotes({ prefix: "", limit: 100 });
    if (notes.length <= 40) continue;
    const removed = store.removeNotes(notes.slice(0, 20).map(({ key }) => key));
    say(`wrote ${store.revision} ${digestOf(store)}`);
    await removed;
    say("durable");
  }
  // The store is not closed: the power is cut while it is open.
  process.exit();
}

function writeOne(store: Store, name: string, value: string | undefined): void {
  const key = keyOf(name);
  const current = store.get(key);
  const version = current?.metadata.resourceVersion ?? "";
  if (!current) store.create(key, aSample(key, value ?? "new"));
  else if (value === undefined) store.remove(key, version);
  else store.update(key, aSample(key, value), version);
}

function notesOf({ key, type, revision }: Change): Note[] {
  return [{ key: `${key.name}.${revision}`, bytes: Buffer.from(`${type}@${revision}`) }];
}

async function recover(): Promise<void> {
  for await (const dataDir of createInterface({ input: process.stdin })) {
    try {
      const store = await openStore({ dataDir });
      const found = `found ${store.revision} ${digestOf(store)}`;
      await store.close();
      say(found);
    } catch (error) {
      say(`failed ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** A digest of all objects with every field, and of all notes. */
function digestOf(store: Store): string {
  const hash = createHash("sha256");
  hash.update(JSON.stringify(store.list("configmaps").items));
  for (const { key, bytes } of store.listNotes({ prefix: "", limit: 1000 })) {
    hash.update(`${key}=`).update(bytes);
  }
  return hash.digest("hex").slice(0, 16);
}

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

const [role, dataDir = "", transactions] = process.argv.slice(2);
if (role === "recover") await recover();
else await write(dataDir, Number(transactions));
