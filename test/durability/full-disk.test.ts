import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { type Change, StorageFailed } from "../../src/store/types.ts";
import { aSample, keyOf, sampleValue } from "./objects.ts";

const disk = mkdtempSync(join(tmpdir(), "tally-full-disk-"));
/** Only root may mount, and not in every container. */
const canMount = spawnSync("mount", ["-t", "tmpfs", "-o", "size=6m", "tmpfs", disk]).status === 0;
afterAll(() => {
  if (canMount) execFileSync("umount", [disk]);
  rmSync(disk, { recursive: true, force: true });
});

/** lmdb prints every error with which it rejects. */
const printed = vi.spyOn(console, "error").mockImplementation(() => {});
afterEach(() => printed.mockClear());

test.skipIf(!canMount)(
  "a full disk loses no acknowledged write, and the store works again with room [needs mount]",
  async () => {
    const ballast = join(disk, "ballast");
    writeFileSync(ballast, Buffer.alloc(1_500_000));
    const dataDir = join(disk, "data");
    const store = await openStore({ dataDir, freeze: true });
    const told: Change[] = [];
    store.subscribeDurable("configmaps", store.revision, (changes) => told.push(...changes));
    const create = async (name: string) => {
      const key = keyOf(name);
      store.create(key, aSample(key, name + "x".repeat(50_000)));
      await store.durable(store.revision);
    };
    const acknowledged: string[] = [];
    const writeUntilFull = async () => {
      for (;;) {
        const name = `n${acknowledged.length}`;
        await create(name);
        acknowledged.push(name);
      }
    };
    await expect(writeUntilFull()).rejects.toThrow(
      new StorageFailed(`no space left on ${dataDir}`),
    );
    expect(acknowledged.length).toBeGreaterThan(5);
    for (let n = 0; n < 3; n++) await expect(create("again")).rejects.toThrow("no space left");
    const names = () => store.list("configmaps").items.map(({ metadata }) => metadata.name);
    expect(names()).toEqual([...acknowledged].sort());
    await store.durable(store.revision);
    // The store found out before lmdb did, or lmdb would have printed an error.
    expect(printed).not.toHaveBeenCalled();

    await unlink(ballast);
    await create("z-with-room");
    expect(names()).toEqual([...acknowledged, "z-with-room"].sort());
    expect(told.map(({ key }) => key.name)).toEqual([...acknowledged, "z-with-room"]);
    const highest = store.revision;
    await store.close();

    const reopened = await openStore({ dataDir });
    expect(reopened.revision).toBeGreaterThanOrEqual(highest);
    const found = reopened.list("configmaps").items;
    expect(found.map(({ metadata }) => metadata.name)).toEqual(
      [...acknowledged, "z-with-room"].sort(),
    );
    for (const object of found)
      expect(sampleValue(object)).toHaveLength(50_000 + nameLength(object));
    await reopened.close();
    rmSync(dataDir, { recursive: true });
  },
);

test.skipIf(!canMount)(
  "objects can be deleted on a full disk, which makes room [needs mount]",
  async () => {
    const store = await openStore({ dataDir: join(disk, "other") });
    const create = async (name: string) => {
      store.create(keyOf(name), aSample(keyOf(name), "x".repeat(50_000)));
      await store.durable(store.revision);
    };
    let count = 0;
    const writeUntilFull = async () => {
      for (; ; count++) await create(`n${count}`);
    };
    await expect(writeUntilFull()).rejects.toThrow("no space left");
    for (let n = 0; n < count / 2; n++) {
      const key = keyOf(`n${n}`);
      store.remove(key, store.get(key)?.metadata.resourceVersion ?? "");
      await store.durable(store.revision);
    }
    await create("again");
    expect(printed).not.toHaveBeenCalled();
    await store.close();
  },
);

test.skipIf(!canMount)(
  "objects smaller than a page can be deleted, too [needs mount]",
  async () => {
    rmSync(join(disk, "other"), { recursive: true, force: true });
    const dataDir = join(disk, "small");
    const store = await openStore({ dataDir });
    let count = 0;
    const writeUntilFull = async () => {
      for (; ; count += 50) {
        for (let n = count; n < count + 50; n++) {
          store.create(keyOf(`n${n}`), aSample(keyOf(`n${n}`), "x".repeat(300)));
        }
        await store.durable(store.revision);
      }
    };
    await expect(writeUntilFull()).rejects.toThrow("no space left");
    for (let n = 0; n < count; n += 100) {
      const key = keyOf(`n${n}`);
      store.remove(key, store.get(key)?.metadata.resourceVersion ?? "");
      await store.durable(store.revision);
    }
    expect(printed).not.toHaveBeenCalled();
    await store.close();
    rmSync(dataDir, { recursive: true });
  },
);

test.skipIf(!canMount)(
  "notes that fill the disk: no acknowledged note is lost [needs mount]",
  async () => {
    const dataDir = join(disk, "noted");
    const notesOf = ({ key, revision }: Change) => [
      { key: `${key.name}.${revision}`, bytes: Buffer.alloc(3000, String(revision)) },
    ];
    const store = await openStore({ dataDir, notesOf });
    const key = keyOf("one");
    store.create(key, aSample(key));
    const update = async (): Promise<void> => {
      store.update(key, aSample(key), store.get(key)?.metadata.resourceVersion ?? "");
      await store.durable(store.revision);
    };
    let acknowledged = 1;
    const writeUntilFull = async () => {
      for (; ; acknowledged++) await update();
    };
    await expect(writeUntilFull()).rejects.toThrow(`no space left on ${dataDir}`);
    const notes = () => store.listNotes({ prefix: "one.", limit: 10_000 });
    expect(acknowledged).toBeGreaterThan(100);
    expect(notes()).toHaveLength(acknowledged);
    const keys = notes().map((note) => note.key);
    for (let at = 0; at < keys.length / 2; at += 20) {
      await store.removeNotes(keys.slice(at, at + 20));
    }
    await update();
    const held = notes().length;
    expect(held).toBeLessThan(acknowledged);
    expect(printed).not.toHaveBeenCalled();
    await store.close();
    const reopened = await openStore({ dataDir });
    expect(reopened.listNotes({ prefix: "one.", limit: 10_000 })).toHaveLength(held);
    await reopened.close();
  },
);

function nameLength(object: { readonly metadata: { readonly name?: string } }): number {
  return object.metadata.name?.length ?? 0;
}
