import fc from "fast-check";
import { expect, test } from "vitest";
import { configMapBody } from "../../test/builders/resources.ts";
import { aServer, type TestServer } from "../../test/builders/server.ts";
import { refusalCode } from "../../test/contracts/refusal.ts";
import type { Client, WatchHandlers } from "../api/client.ts";
import { ApiError, expired } from "../api/errors.ts";
import type { ConfigMap } from "../api/generated/core.ts";
import { configMaps } from "../api/resources.ts";
import { type Cache, type CacheOptions, openCache } from "./cache.ts";
import type { CacheChange } from "./cached-objects.ts";
import { localClient } from "./local.ts";

/** A client whose watches the test can cut, and whose lists and watches it can make fail. */
function breakable(server: TestServer) {
  const client = localClient(server);
  const watches = new Set<WatchHandlers<ConfigMap>>();
  const fault: { list?: Error } = {};
  const broken: Client = {
    ...client,
    list: (type, request) => (fault.list ? Promise.reject(fault.list) : client.list(type, request)),
    watch: (type, request, handlers) => {
      const own = handlers as unknown as WatchHandlers<ConfigMap>;
      watches.add(own);
      const watch = client.watch(type, request, {
        onEvent: (event) => {
          if (watches.has(own)) handlers.onEvent(event);
        },
        onEnd: (error) => {
          if (watches.delete(own)) handlers.onEnd(error);
        },
      });
      return {
        close: () => {
          watches.delete(own);
          watch.close();
        },
      };
    },
  };
  const cut = (error?: Error) => {
    for (const handlers of [...watches]) {
      watches.delete(handlers);
      handlers.onEnd(error);
    }
  };
  return { client, broken, fault, cut, watches };
}

async function follow(options: Partial<CacheOptions<ConfigMap>> = {}) {
  const server = aServer({ historyLimits: { changes: 10 } });
  const parts = breakable(server);
  const { clock, log } = server;
  const cache = await openCache({
    client: parts.broken,
    type: configMaps,
    clock,
    log,
    indexes: { owner: ({ data }) => Object.keys(data ?? {}) },
    ...options,
  });
  return { ...parts, server, cache };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** The state that a listener knows from the changes it receives. */
function replay(cache: Cache<ConfigMap>): Map<string, ConfigMap> {
  const known = new Map<string, ConfigMap>();
  const take = ({ type, object, previous }: CacheChange<ConfigMap>) => {
    const key = `${object.metadata.namespace}/${object.metadata.name}`;
    expect(previous).toBe(known.get(key));
    expect(type === "ADDED").toBe(previous === undefined);
    if (type === "DELETED") known.delete(key);
    else known.set(key, object);
  };
  cache.onChange(take, { existing: true });
  return known;
}

const byKey = (items: Iterable<ConfigMap>) =>
  [...items].sort((one, other) => keyOf(one).localeCompare(keyOf(other)));
const keyOf = ({ metadata }: ConfigMap) => `${metadata.namespace}/${metadata.name}`;

test("the cache shows existing objects and, in process, new ones at once", async () => {
  const { client, cache } = await follow();
  const creation = client.create(configMaps, configMapBody({ name: "a" }));
  const shown = cache.get("default", "a");
  expect(shown).toBe(await creation);
  expect(cache.list("default")).toEqual([shown]);
  expect(cache.list("kube-public")).toEqual([]);
  expect(cache.hasSeen(shown?.metadata.resourceVersion ?? "")).toBe(true);
});

test("a listener receives every change with the previous state", async () => {
  const { client, cache } = await follow();
  const heard: CacheChange<ConfigMap>[] = [];
  cache.onChange((change) => heard.push(change));
  const made = await client.create(configMaps, configMapBody({ name: "a" }));
  const next = await client.update(configMaps, { ...made, data: { k: "v" } });
  await client.delete(configMaps, { namespace: "default", name: "a" });
  expect(heard).toEqual([
    { type: "ADDED", object: made },
    { type: "MODIFIED", object: next, previous: made },
    { type: "DELETED", object: expect.objectContaining({ data: { k: "v" } }), previous: next },
  ]);
});

test("a late listener receives existing objects only with `existing`", async () => {
  const { client, cache } = await follow();
  await client.create(configMaps, configMapBody({ name: "a" }));
  const counts = { all: 0, news: 0 };
  cache.onChange(() => counts.all++, { existing: true });
  const news = cache.onChange(() => counts.news++);
  await client.create(configMaps, configMapBody({ name: "b" }));
  news.close();
  await client.create(configMaps, configMapBody({ name: "c" }));
  expect(counts).toEqual({ all: 3, news: 1 });
});

test("a listener may subscribe, leave, write and throw without affecting others", async () => {
  const { client, cache } = await follow();
  const own = cache.onChange(({ object }) => {
    own.close();
    cache.onChange(() => {
      throw new Error("a bug");
    });
    void client.create(configMaps, configMapBody({ name: `${object.metadata.name}-child` }));
  });
  const known = replay(cache);
  await client.create(configMaps, configMapBody({ name: "a" }));
  await settled();
  expect([...known.keys()].sort()).toEqual(["default/a", "default/a-child"]);
});

test("an index finds objects by their current values only", async () => {
  const { client, cache } = await follow();
  const names = (value: string) => cache.find("owner", value).map(({ metadata }) => metadata.name);
  const a = await client.create(configMaps, configMapBody({ name: "a" }, { x: "", y: "" }));
  await client.create(configMaps, configMapBody({ name: "b" }, { y: "" }));
  expect([names("x"), names("y"), names("z")]).toEqual([["a"], ["a", "b"], []]);
  await client.update(configMaps, { ...a, data: { z: "" } });
  expect([names("x"), names("y"), names("z")]).toEqual([[], ["b"], ["a"]]);
  await client.delete(configMaps, { namespace: "default", name: "a" });
  expect(names("z")).toEqual([]);
  expect(() => cache.find("none", "z")).toThrow("no index none");
});

test("the cache contains only selected objects", async () => {
  const { client, cache } = await follow({ namespace: "default", labelSelector: "on=yes" });
  const names = () => cache.list().map(({ metadata }) => metadata.name);
  const labels = { on: "yes" };
  const a = await client.create(configMaps, configMapBody({ name: "a", labels }));
  await client.create(configMaps, configMapBody({ name: "b" }));
  await client.create(configMaps, configMapBody({ name: "c", namespace: "kube-public", labels }));
  expect(names()).toEqual(["a"]);
  await client.update(configMaps, { ...a, metadata: { ...a.metadata, labels: { on: "no" } } });
  expect(names()).toEqual([]);
});

test("a cut watch resumes at the last revision, without a list", async () => {
  const { client, server, cache, cut, fault } = await follow();
  const known = replay(cache);
  fault.list = new Error("must not be needed");
  cut(new Error("connection reset"));
  const made = await client.create(configMaps, configMapBody({ name: "a" }));
  expect(cache.hasSeen(made.metadata.resourceVersion ?? "")).toBe(false);
  server.clock.advance(800);
  expect(cache.get("default", "a")).toBe(made);
  expect([...known.values()]).toEqual([made]);
});

test("after an expired revision, a new list reports only the differences", async () => {
  const { client, server, cache, cut } = await follow();
  for (const name of ["same", "changed", "gone", "other"]) {
    await client.create(configMaps, configMapBody({ name }));
  }
  const known = replay(cache);
  const heard: string[] = [];
  cut(new Error("connection reset"));
  cache.onChange(({ type, object }) => heard.push(`${type} ${object.metadata.name}`));
  const place = (name: string) => ({ namespace: "default", name });
  for (const name of ["gone", "other"]) await client.delete(configMaps, place(name));
  await client.create(configMaps, configMapBody({ name: "other" }));
  await client.create(configMaps, configMapBody({ name: "new" }));
  for (let change = 0; change < 20; change++) {
    const body = { data: { change: String(change) } };
    await client.patch(configMaps, place("changed"), { type: "merge", body });
  }
  server.clock.advance(800);
  await settled();
  server.clock.advance(0);
  await settled();
  expect(heard.sort()).toEqual([
    "ADDED new",
    "ADDED other",
    "DELETED gone",
    "DELETED other",
    "MODIFIED changed",
  ]);
  const { items } = await client.list(configMaps);
  expect(byKey(known.values())).toEqual(items);
});

test("seen() resolves when the cache shows a write, and rejects on close", async () => {
  const { client, server, cache, cut } = await follow();
  cut();
  const made = await client.create(configMaps, configMapBody({ name: "a" }));
  const revision = made.metadata.resourceVersion ?? "";
  const order: string[] = [];
  const waiting = cache.seen(revision).then(() => order.push("shown"));
  await settled();
  order.push("pause over");
  server.clock.advance(800);
  await waiting;
  expect(order).toEqual(["pause over", "shown"]);
  await expect(cache.seen(revision)).resolves.toBeUndefined();
  const never = cache.seen("999999");
  cache.close();
  await expect(never).rejects.toThrow("closed");
  await expect(cache.seen("999999")).rejects.toThrow("closed");
});

test("opening a cache fails if the server rejects the list", async () => {
  expect(await refusalCode(follow({ labelSelector: "a=(" }))).toBe("400 BadRequest");
});

test("opening a cache waits for a server that is not ready", async () => {
  const server = aServer();
  const { broken, fault } = breakable(server);
  const { clock, log } = server;
  fault.list = new ApiError(503, "ServiceUnavailable", "starting");
  let cache: Cache<ConfigMap> | undefined;
  const opening = openCache({ client: broken, type: configMaps, clock, log }).then((opened) => {
    cache = opened;
  });
  for (const delayMs of [800, 1600, 3200]) {
    await settled();
    expect(cache).toBeUndefined();
    expect(clock.untilNextMs()).toBe(delayMs);
    if (delayMs === 3200) delete fault.list;
    clock.advance(delayMs);
  }
  await opening;
  expect(cache?.list()).toEqual([]);
});

test("retries are spread by random jitter", async () => {
  const server = aServer();
  const { broken, fault } = breakable(server);
  const { clock, log } = server;
  const random = { ...server.random, below: (limit: number) => limit - 1 };
  fault.list = new ApiError(503, "ServiceUnavailable", "starting");
  const opening = openCache({ client: broken, type: configMaps, clock, log, random });
  await settled();
  expect(clock.untilNextMs()).toBe(1599);
  delete fault.list;
  clock.advance(1599);
  (await opening).close();
});

test("a closed cache calls no listener and sends no request", async () => {
  const { client, server, cache, cut, watches } = await follow();
  let heard = 0;
  cache.onChange(() => heard++);
  cache.close();
  await client.create(configMaps, configMapBody({ name: "a" }));
  cut();
  expect([heard, watches.size, server.clock.untilNextMs()]).toEqual([0, 0, undefined]);
  const paused = await follow();
  paused.cut();
  paused.cache.close();
  expect(paused.server.clock.untilNextMs()).toBeUndefined();
});

test("a cache closed by a listener stops at once, even during replay", async () => {
  const { client, server, cache, cut, watches } = await follow();
  cut();
  for (const name of ["a", "b"]) await client.create(configMaps, configMapBody({ name }));
  cache.onChange(() => cache.close());
  server.clock.advance(800);
  expect(cache.list().map(({ metadata }) => metadata.name)).toEqual(["a"]);
  expect(watches.size).toBe(0);
});

test("a list that arrives after the cache was closed changes nothing", async () => {
  const { client, server, cache, cut, watches } = await follow();
  cut(expired("too old"));
  await client.create(configMaps, configMapBody({ name: "a" }));
  server.clock.advance(0);
  cache.close();
  await settled();
  expect([cache.list(), watches.size]).toEqual([[], 0]);
});

const NAMES = ["a", "b", "c"];

type Step =
  | { readonly kind: "put" | "delete"; readonly name: string; readonly owner: string }
  | { readonly kind: "cut"; readonly error: Error | undefined }
  | { readonly kind: "list fails"; readonly error: Error | undefined }
  | { readonly kind: "wait"; readonly ms: number };

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom("put" as const, "delete" as const),
      name: fc.constantFrom(...NAMES),
      owner: fc.constantFrom("x", "y"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("cut" as const),
      error: fc.constantFrom(undefined, new Error("reset"), expired("too old")),
    }),
  },
  fc.record({
    kind: fc.constant("list fails" as const),
    error: fc.constantFrom(undefined, new Error("refused")),
  }),
  fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(0, 800, 5000, 60_000) }),
);

test("after any writes, cuts and expired revisions the cache equals the list", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 60 }), async (each) => {
      const { client, server, cache, cut, fault } = await follow();
      const known = replay(cache);
      for (const step of each) {
        if (step.kind === "cut") cut(step.error);
        else if (step.kind === "wait") server.clock.advance(step.ms);
        else if (step.kind === "list fails") setFault(fault, step.error);
        else await write(client, step);
        await settled();
        expect(byKey(known.values())).toEqual(byKey(cache.list()));
      }
      setFault(fault, undefined);
      while (server.clock.untilNextMs() !== undefined) {
        server.clock.advance(server.clock.untilNextMs() ?? 0);
        await settled();
      }
      const { items, resourceVersion } = await client.list(configMaps);
      expect(byKey(cache.list())).toEqual(items);
      expect(byKey(known.values())).toEqual(items);
      for (const owner of ["x", "y"]) {
        const owned = items.filter(({ data }) => data?.[owner] !== undefined);
        expect(byKey(cache.find("owner", owner))).toEqual(owned);
      }
      const newest = items.map(({ metadata }) => Number(metadata.resourceVersion));
      expect(cache.hasSeen(String(Math.max(0, ...newest)))).toBe(true);
      expect(cache.hasSeen(String(Number(resourceVersion) + 1))).toBe(false);
    }),
    { numRuns: 60 },
  );
});

function setFault(fault: { list?: Error }, error: Error | undefined): void {
  if (error) fault.list = error;
  else delete fault.list;
}

async function write(
  client: Client,
  { kind, name, owner }: Step & { name: string; owner: string },
) {
  const place = { namespace: "default", name };
  if (kind === "delete") await client.delete(configMaps, place).catch(() => {});
  else {
    const body = { data: { [owner]: name } };
    await client
      .patch(configMaps, place, { type: "merge", body })
      .catch(() => client.create(configMaps, configMapBody({ name }, body.data)));
  }
}
