/** The store in its own process, which tests trace, lock out and kill. */
import { writeSync } from "node:fs";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/types.ts";
import { aSample, keyOf } from "./objects.ts";

const ROLES: { readonly [role: string]: (store: Store) => Promise<void> } = {
  /** Holds the data directory until it is killed. */
  hold: () => new Promise(() => setInterval(() => {}, 60_000)),

  /** Makes one durable write after the other, then several at once. */
  write: async (store) => {
    for (let n = 0; n < 5; n++) await createDurably(store, `single-${n}`);
    const names = Array.from({ length: 20 }, (_, n) => `group-${n}`);
    await Promise.all(names.map((name) => createDurably(store, name)));
    await store.close();
  },

  /** Retries each write until it is durable. */
  insist: async (store) => {
    for (let n = 0; n < 30; n++) {
      while (!(await isCreatedDurably(store, `n${n}`)));
    }
    await store.close();
  },

  /** Many writers that never stop. */
  storm: async (store) => {
    const writer = async (id: number) => {
      for (let n = 0; ; n++) await createDurably(store, `w${id}-${store.revision}-${n}`);
    };
    await Promise.all(Array.from({ length: 32 }, (_, id) => writer(id)));
  },
};

async function isCreatedDurably(store: Store, name: string): Promise<boolean> {
  try {
    await createDurably(store, name);
    return true;
  } catch (error) {
    writeSync(1, `lost ${name} ${error instanceof Error ? error.message : String(error)}\n`);
    return false;
  }
}

async function createDurably(store: Store, name: string): Promise<void> {
  const key = keyOf(name);
  const object = store.create(key, aSample(key, name.repeat(50)));
  const revision = Number(object.metadata.resourceVersion);
  await store.durable(revision);
  // Not console.log: the reader needs the line immediately, not when a buffer is flushed.
  writeSync(1, `durable ${revision} ${name}\n`);
}

const [role = "", dataDir = ""] = process.argv.slice(2);
try {
  const store = await openStore({ dataDir });
  writeSync(1, `open ${store.revision}\n`);
  await ROLES[role]?.(store);
} catch (error) {
  writeSync(1, `failed ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
