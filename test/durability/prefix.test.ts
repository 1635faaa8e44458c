import fc from "fast-check";
import { expect, test } from "vitest";
import { openMemoryStore, openOnJournal } from "../../src/store/open.ts";
import { type Change, type Note, StorageFailed, type Store } from "../../src/store/types.ts";
import { DroppingJournal } from "./dropping-journal.ts";
import { aSample, keyOf, revisionOf, sampleValue } from "./objects.ts";

type Step =
  | { readonly kind: "write"; readonly name: string; readonly remove: boolean }
  | { readonly kind: "let the queue run" | "sync" }
  | { readonly kind: "fail" | "kill"; readonly isWritten: boolean };

const name = fc.constantFrom("a", "b", "c", "d");
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("write"), name, remove: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("let the queue run", "sync") }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("fail"), isWritten: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("kill"), isWritten: fc.boolean() }) },
) as fc.Arbitrary<Step>;

test("after any crash the store is a prefix that contains every acknowledged write", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80, size: "max" }), async (steps) => {
      const world = new World();
      await world.begin();
      for (const next of steps) await world.run(next);
      await world.run({ kind: "kill", isWritten: false });
      expect(world.problems).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

/** One data directory through several lives of the process, and what is known about it. */
class World {
  /** Errors that listeners threw. The store catches them. */
  readonly problems: unknown[] = [];
  readonly #options = {
    reserveSize: 64,
    report: (error: unknown) => this.problems.push(error),
    notesOf: ({ key, type, revision }: Change): Note[] => [
      { key: key.name, bytes: Buffer.from(`${type}@${revision}`) },
    ],
  };
  #journal = new DroppingJournal();
  #store: Store = openMemoryStore();
  /** Each state that ever existed, in order, as text. */
  readonly #states: { readonly revision: number; readonly state: string }[] = [];
  readonly #seen = new Set<number>();
  #acknowledged = 0;
  #counter = 0;
  #outside = new Map<string, string | undefined>();

  async begin(): Promise<void> {
    this.#journal.isAutomatic = true;
    this.#store = await openOnJournal(this.#journal, this.#options);
    this.#journal.isAutomatic = false;
    this.#watch();
  }

  async run(next: Step): Promise<void> {
    if (next.kind === "write") this.#write(next.name, next.remove);
    else if (next.kind === "sync") this.#journal.sync();
    else if (next.kind === "fail") this.#journal.fail(new StorageFailed("no space left"), next);
    else if (next.kind === "kill") await this.#kill(next);
    if (next.kind !== "write") await settled();
  }

  #write(name: string, remove: boolean): void {
    const key = keyOf(name);
    const current = this.#store.get(key);
    const draft = aSample(key, String(++this.#counter));
    const version = current?.metadata.resourceVersion ?? "";
    try {
      const written = !current
        ? this.#store.create(key, draft)
        : remove
          ? this.#store.remove(key, version)
          : this.#store.update(key, draft, version);
      const revision = revisionOf(written);
      this.#store.durable(revision).then(
        () => this.#acknowledge(revision),
        (error) => expect(error).toBeInstanceOf(StorageFailed),
      );
    } catch (error) {
      // The reserve is deliberately small here: it runs out while the disk does not sync.
      expect(error).toBeInstanceOf(StorageFailed);
    }
  }

  #acknowledge(revision: number): void {
    expect(revision).toBeLessThanOrEqual(this.#store.durableRevision);
    this.#acknowledged = Math.max(this.#acknowledged, revision);
  }

  async #kill(how: { readonly isWritten: boolean }): Promise<void> {
    const highest = this.#store.revision;
    const before = [...this.#states];
    this.#journal = this.#journal.kill(how);
    await this.begin();
    expect(this.#store.revision).toBeGreaterThanOrEqual(highest);
    const recovered = stateOf(this.#store);
    const prefix = before.findLast(({ state }) => state === recovered);
    expect(prefix, `not a state that ever was: ${recovered}`).toBeDefined();
    expect(prefix?.revision).toBeGreaterThanOrEqual(this.#acknowledged);
  }

  #watch(): void {
    const store = this.#store;
    this.#states.push({ revision: store.revision, state: stateOf(store) });
    this.#outside = new Map(store.list("configmaps").items.map((item) => told(item)));
    store.subscribe("configmaps", store.revision, (change) => {
      expect(this.#seen.has(change.revision), "a revision given out twice").toBe(false);
      this.#seen.add(change.revision);
      // Undoing passes through states that never existed; only the last one counts.
      if (change.revision === store.revision) {
        this.#states.push({ revision: change.revision, state: stateOf(store) });
      }
    });
    store.subscribeDurable("configmaps", store.revision, (changes) => {
      for (const { type, object } of changes) {
        const [name, text] = told(object);
        if (type === "DELETED") this.#outside.delete(name);
        else this.#outside.set(name, text);
      }
    });
    // When no write is in progress, the state outside and the state inside must be equal.
    store.onDurable((revision) => {
      if (store !== this.#store || revision !== store.revision) return;
      const inside = new Map(store.list("configmaps").items.map((item) => told(item)));
      expect(Object.fromEntries(this.#outside)).toEqual(Object.fromEntries(inside));
    });
  }
}

/** Notes are part of the state: a change without its note is a state that never existed. */
function stateOf(store: Store): string {
  const objects = store.list("configmaps").items.map((item) => told(item).join("="));
  const notes = store
    .listNotes({ prefix: "", limit: 100 })
    .map(({ key, bytes }) => `${key}:${Buffer.from(bytes).toString()}`);
  return [...objects, ...notes].join(" ");
}

function told(item: Parameters<typeof sampleValue>[0] & object): [string, string] {
  return [item.metadata.name ?? "", `${sampleValue(item)}@${item.metadata.resourceVersion}`];
}

/** Resolves when everything that does not need the disk has happened. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
