import fc from "fast-check";
import { expect, test } from "vitest";
import { aServer, type TestServer } from "../../../test/builders/server.ts";
import { ask } from "../../../test/support/ask.ts";
import { isEqual } from "../../api/equal.ts";
import type { KubeObject } from "../../api/object.ts";
import { configMapKind } from "../../kinds/configmap/kind.ts";
import { type ListOptions, list } from "./list.ts";
import { follow, type WatchEvent, watch } from "./watch.ts";

/** Random writes to a few ConfigMaps. Some of them fail, which must have no effect. */
interface Write {
  readonly what: "create" | "delete" | "label" | "touch";
  readonly namespace: string;
  readonly name: string;
  readonly value: string;
}

const aWrite: fc.Arbitrary<Write> = fc.record({
  what: fc.constantFrom("create", "create", "delete", "label", "touch"),
  namespace: fc.constantFrom("default", "kube-public"),
  name: fc.constantFrom("a", "a-b", "b", "c"),
  value: fc.constantFrom("0", "1", "2"),
});
const writes = fc.array(aWrite, { maxLength: 30 });

function apply(server: TestServer, { what, namespace, name, value }: Write): void {
  const collection = `/api/v1/namespaces/${namespace}/configmaps`;
  const labels = { n: value };
  switch (what) {
    case "create":
      ask(server, "POST", collection, { metadata: { name, labels } });
      return;
    case "delete":
      ask(server, "DELETE", `${collection}/${name}`);
      return;
    case "label":
      ask(server, "PATCH", `${collection}/${name}`, { metadata: { labels } });
      return;
    default:
      ask(server, "PATCH", `${collection}/${name}`, { data: { value } });
  }
}

const selection: fc.Arbitrary<ListOptions> = fc.constantFrom<ListOptions>(
  {},
  { labelSelector: "n=1" },
  { labelSelector: "n!=1" },
  { labelSelector: "n in (0,2)", fieldSelector: "metadata.name!=a" },
  { fieldSelector: "metadata.name=a-b" },
);
const scope = fc.constantFrom(undefined, "default", "kube-public");

type Scope = string | undefined;

function show(server: TestServer, namespace: Scope, options: ListOptions): readonly KubeObject[] {
  return list(server, configMapKind, namespace, options).items;
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** Applies events to a list; each event must fit the state so far. */
function replay(before: readonly KubeObject[], events: readonly WatchEvent[]): KubeObject[] {
  const known = new Map(before.map((object) => [keyOf(object), object]));
  for (const { type, object } of events) {
    expect([type, known.has(keyOf(object))]).toEqual([type, type !== "ADDED"]);
    if (type === "DELETED") known.delete(keyOf(object));
    else known.set(keyOf(object), object);
  }
  return [...known.values()].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

test("a watch from a list delivers exactly the events that lead to the newest list", async () => {
  await fc.assert(
    fc.asyncProperty(writes, writes, writes, scope, selection, async (...given) => {
      const [before, between, after, namespace, options] = given;
      const server = aServer();
      for (const write of before) apply(server, write);
      const old = show(server, namespace, options);
      const resourceVersion = String(server.store.revision);
      for (const write of between) apply(server, write);
      const from = { ...options, resourceVersion };
      const inside: WatchEvent[] = [];
      follow(server, configMapKind, namespace, from, (event) => inside.push(event));
      const outside: WatchEvent[] = [];
      watch(server, configMapKind, namespace, from).start((batch) =>
        outside.push(...batch.events()),
      );
      for (const write of after) apply(server, write);
      await server.store.durable(server.store.revision);
      expect(replay(old, inside)).toEqual(show(server, namespace, options));
      expect(outside).toEqual(inside);
    }),
  );
});

test("a watch with initial events delivers the newest list, then the changes", async () => {
  await fc.assert(
    fc.asyncProperty(
      writes,
      writes,
      scope,
      selection,
      async (before, after, namespace, options) => {
        const server = aServer();
        for (const write of before) apply(server, write);
        const watching = watch(server, configMapKind, namespace, options);
        expect(watching.initial).toEqual(show(server, namespace, options));
        const events: WatchEvent[] = [];
        watching.start((batch) => events.push(...batch.events()));
        for (const write of after) apply(server, write);
        await server.store.durable(server.store.revision);
        expect(replay(watching.initial, events)).toEqual(show(server, namespace, options));
      },
    ),
  );
});

test("pages of any size, with writes between them, show the state of the first page", () => {
  const size = fc.integer({ min: 1, max: 6 });
  fc.assert(
    fc.property(writes, writes, size, scope, selection, (...given) => {
      const [before, between, limit, namespace, options] = given;
      const server = aServer();
      for (const write of before) apply(server, write);
      const whole = show(server, namespace, options);
      const waiting = [...between];
      const paged: KubeObject[] = [];
      let token: string | undefined;
      do {
        const next = token === undefined ? {} : { continue: token };
        const page = list(server, configMapKind, namespace, { ...options, limit, ...next });
        expect(page.items.length).toBeLessThanOrEqual(limit);
        paged.push(...page.items);
        const { remainingItemCount } = page.metadata;
        if (remainingItemCount !== undefined) {
          expect(paged.length + remainingItemCount).toBe(whole.length);
        }
        token = page.metadata.continue;
        for (const write of waiting.splice(0, 4)) apply(server, write);
      } while (token !== undefined);
      expect(paged).toEqual(whole);
    }),
  );
});

test("a list at a past revision shows the state at that time", () => {
  fc.assert(
    fc.property(writes, scope, selection, (all, namespace, options) => {
      const server = aServer();
      const past = new Map<number, readonly KubeObject[]>();
      for (const write of all) {
        apply(server, write);
        past.set(server.store.revision, show(server, namespace, options));
      }
      for (const [revision, items] of past) {
        const exactly = { resourceVersion: String(revision), resourceVersionMatch: "Exact" };
        expect(show(server, namespace, { ...options, ...exactly })).toEqual(items);
      }
    }),
  );
});

test("each change has its own revision, and a write without a change has none", () => {
  fc.assert(
    fc.property(writes, (all) => {
      const server = aServer();
      const seen: number[] = [];
      const resourceVersion = String(server.store.revision);
      const from = { resourceVersion };
      follow(server, configMapKind, undefined, from, ({ revision }) => seen.push(revision));
      for (const write of all) apply(server, write);
      const first = Number(resourceVersion) + 1;
      expect(seen).toEqual(seen.map((_, index) => first + index));
      expect(server.store.revision).toBe(Number(resourceVersion) + seen.length);
    }),
  );
});

test("generation increases only with changes of the spec", () => {
  const parallelism = fc.integer({ min: 0, max: 3 });
  const change = fc.oneof(
    fc.record({ spec: fc.record({ parallelism }) }),
    fc.record({ spec: fc.record({ suspend: fc.boolean() }) }),
    fc.record({ metadata: fc.record({ labels: fc.record({ n: fc.constantFrom("0", "1") }) }) }),
    fc.record({ status: fc.record({ active: fc.integer({ min: 0, max: 2 }) }) }),
  );
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
      const server = aServer();
      const jobs = "/apis/batch/v1/namespaces/default/jobs";
      ask(server, "POST", jobs, { metadata: { name: "j" }, spec: { template } });
      for (const patch of changes) {
        const old = ask(server, "GET", `${jobs}/j`).object as WithSpec;
        const part = "status" in patch ? "/status" : "";
        const { status, object } = ask(server, "PATCH", `${jobs}/j${part}`, patch);
        expect(status).toBe(200);
        const isChanged = !isEqual((object as WithSpec).spec, old.spec);
        const expected = (old.metadata.generation ?? 0) + (isChanged ? 1 : 0);
        expect(object.metadata.generation).toBe(expected);
      }
    }),
  );
});

interface WithSpec extends KubeObject {
  readonly spec: unknown;
}
