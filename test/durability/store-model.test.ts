import fc from "fast-check";
import { expect, test } from "vitest";
import type { KubeObject } from "../../src/api/object.ts";
import { openMemoryStore } from "../../src/store/open.ts";
import {
  type Change,
  ExpiredRevision,
  type ListQuery,
  type ListResult,
} from "../../src/store/types.ts";
import { aSample, revisionOf, type Sample } from "./objects.ts";

const INDEXES = { configmaps: { color: (object: KubeObject) => colorsOf(object) } };

const namespace = fc.constantFrom("a", "a-b", "a0", "b");
const name = fc.constantFrom("x", "x-1", "x.1", "y", "z");
const color = fc.constantFrom("red", "blue", undefined);

const write = fc.record({ namespace, name, color, remove: fc.boolean() });
const query = fc.record(
  {
    namespace,
    after: fc.record({ namespace, name }),
    limit: fc.integer({ min: 1, max: 6 }),
    onlyColor: fc.constantFrom("red", "blue"),
    /** How many revisions back. */
    age: fc.integer({ min: 0, max: 30 }),
    /** Filters without using an index. */
    withoutIndex: fc.boolean(),
  },
  { requiredKeys: [] },
);
type Write = typeof write extends fc.Arbitrary<infer T> ? T : never;
type Query = typeof query extends fc.Arbitrary<infer T> ? T : never;

test("lists at any known revision equal those of a naive store", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(write, query), { maxLength: 60, size: "max" }), (steps) => {
      const pair = new Pair();
      for (const [nextWrite, nextQuery] of steps) {
        pair.write(nextWrite);
        pair.compare(nextQuery);
      }
    }),
    { numRuns: 200 },
  );
});

test("a list read page by page is the list at the time of its first page", () => {
  const limit = fc.integer({ min: 1, max: 4 });
  fc.assert(
    fc.property(
      fc.array(write, { maxLength: 40, size: "max" }),
      fc.array(write),
      limit,
      (before, during, n) => {
        const pair = new Pair(1000);
        for (const next of before) pair.write(next);
        const whole = pair.store.list("configmaps").items;
        const paged: KubeObject[] = [];
        let page: ListResult = pair.store.list("configmaps", { limit: n });
        const { revision } = page;
        for (;;) {
          paged.push(...page.items);
          const last = page.items.at(-1)?.metadata;
          expect(page.remaining ?? 0).toBe(whole.length - paged.length);
          if (!page.more || !last) break;
          for (const next of during.splice(0, 3)) pair.write(next);
          const after = { namespace: last.namespace ?? "", name: last.name ?? "" };
          page = pair.store.list("configmaps", { limit: n, at: revision, after });
        }
        expect(paged).toEqual(whole);
      },
    ),
    { numRuns: 200 },
  );
});

test("a watch from any known revision delivers every later change once and in order", async () => {
  const begins = fc.array(fc.nat({ max: 40 }), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(write, { maxLength: 40, size: "max" }),
      begins,
      async (writes, moments) => {
        const pair = new Pair(1000);
        const watches: { after: number; inside: number[]; outside: number[] }[] = [];
        for (const [index, next] of writes.entries()) {
          pair.write(next);
          for (const moment of moments.filter((at) => at === index)) {
            const after = Math.max(1, pair.store.revision - (moment % 7));
            const watch = { after, inside: [] as number[], outside: [] as number[] };
            watches.push(watch);
            pair.store.subscribe("configmaps", after, ({ revision }) =>
              watch.inside.push(revision),
            );
            pair.store.subscribeDurable("configmaps", after, (changes) =>
              watch.outside.push(...changes.map(({ revision }) => revision)),
            );
          }
          if (index % 5 === 0) await pair.store.durable(pair.store.revision);
        }
        await pair.store.durable(pair.store.revision);
        for (const { after, inside, outside } of watches) {
          const expected = pair.changes.map((change) => change.revision).filter((at) => at > after);
          expect(inside).toEqual(expected);
          expect(outside).toEqual(expected);
        }
      },
    ),
    { numRuns: 100 },
  );
});

/** The store and a model of it: every state that ever existed, as a plain map. */
class Pair {
  readonly store;
  readonly changes: Change[] = [];
  readonly #states = new Map<number, ReadonlyMap<string, Sample>>([[1, new Map()]]);

  constructor(changes = 12) {
    this.store = openMemoryStore(INDEXES, { historyLimits: { changes } });
    this.store.subscribe("configmaps", 1, (change) => this.changes.push(change));
  }

  write({ namespace, name, color, remove }: Write): void {
    const key = { resource: "configmaps", namespace, name };
    const before = this.store.revision;
    const current = this.store.get(key);
    const version = current?.metadata.resourceVersion ?? "";
    const draft = aSample(key, String(before), color);
    const written = !current
      ? this.store.create(key, draft)
      : remove
        ? this.store.remove(key, version)
        : this.store.update(key, draft, version);
    expect(revisionOf(written)).toBe(before + 1);
    const state = new Map(this.#states.get(before));
    if (current && remove) state.delete(`${namespace}/${name}`);
    else state.set(`${namespace}/${name}`, written as Sample);
    this.#states.set(before + 1, state);
  }

  compare({ age, onlyColor, withoutIndex, ...rest }: Query): void {
    const at = age === undefined ? undefined : Math.max(1, this.store.revision - age);
    const matches = (object: KubeObject) => colorsOf(object).includes(onlyColor ?? "");
    const filter = !onlyColor
      ? {}
      : withoutIndex
        ? { matches }
        : { lookup: { index: "color", value: onlyColor } };
    const actual = listIfKnown(() =>
      this.store.list("configmaps", { ...rest, ...(at === undefined ? {} : { at }), ...filter }),
    );
    const tooOld = this.store.revision - (at ?? this.store.revision) >= 12;
    if (actual === "expired") expect(tooOld).toBe(true);
    else expect(actual).toEqual(this.#naive({ ...rest, ...(onlyColor ? { matches } : {}) }, at));
  }

  #naive(query: ListQuery, at = this.store.revision): ListResult {
    const text = ({ namespace, name }: { namespace?: string; name?: string }) =>
      `${namespace}/${name}`;
    const all = [...(this.#states.get(at)?.entries() ?? [])]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .filter(([key]) => query.namespace === undefined || key.startsWith(`${query.namespace}/`))
      .filter(([key]) => query.after === undefined || key > text(query.after));
    const found = all.filter(([, object]) => query.matches?.(object) ?? true);
    const items = found.slice(0, query.limit).map(([, object]) => object);
    const last = items.length === query.limit ? items.at(-1) : undefined;
    const left = last ? all.filter(([key]) => key > text(last.metadata)).length : 0;
    const result = { revision: at, items, more: left > 0 };
    return left > 0 && !query.matches ? { ...result, remaining: left } : result;
  }
}

function colorsOf(object: KubeObject): string[] {
  const { color } = (object as Sample).data;
  return color === undefined ? [] : [color];
}

function listIfKnown(list: () => ListResult): ListResult | "expired" {
  try {
    return list();
  } catch (error) {
    if (error instanceof ExpiredRevision) return "expired";
    throw error;
  }
}
