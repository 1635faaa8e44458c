import { expect, test } from "vitest";
import { configMapBody } from "../../../test/builders/resources.ts";
import { aServer, type TestServer } from "../../../test/builders/server.ts";
import { ask, askWatch } from "../../../test/support/ask.ts";
import { Unread } from "./unread.ts";
import type { Share } from "./watch-encode.ts";
import { type Sink, WatchStream } from "./watch-stream.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

/** A client that reads everything at once, or nothing until read() is called. */
class TestSink implements Sink {
  contentType = "";
  bytes: Buffer = Buffer.alloc(0);
  bufferedBytes = 0;
  isStuck = false;
  readonly chunks: Uint8Array[] = [];
  readonly kept = new Map<object, number>();
  #onTaken: (() => void)[] = [];
  state: "new" | "open" | "ended" | "aborted" = "new";

  begin(contentType: string): void {
    this.contentType = contentType;
    this.state = "open";
  }
  write(bytes: Uint8Array): void {
    this.chunks.push(bytes);
    this.bytes = Buffer.concat([this.bytes, bytes]);
    if (this.isStuck) this.bufferedBytes += bytes.length;
  }
  onceTaken(callback: () => void): void {
    this.#onTaken.push(callback);
  }
  /** Reads the pending bytes, and continues to read unless isStuck is set. */
  read(isStuck: boolean): void {
    this.isStuck = isStuck;
    this.bufferedBytes = 0;
    for (const callback of this.#onTaken.splice(0)) callback();
  }
  keep(thing: object, bytes: number): void {
    this.kept.set(thing, bytes);
  }
  letGo(thing: object): void {
    this.kept.delete(thing);
  }
  end(): void {
    this.state = "ended";
  }
  abort(): void {
    this.state = "aborted";
  }

  get events(): { type: string; object: { kind: string; metadata: Metadata; code?: number } }[] {
    const lines = this.bytes.toString("utf8").split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line));
  }
  get shown(): string[] {
    return this.events.map(({ type, object }) => `${type} ${object.metadata.name ?? ""}`.trim());
  }
}

interface Metadata {
  readonly name?: string;
  readonly resourceVersion: string;
  readonly annotations?: { readonly [key: string]: string };
}

async function open(server: TestServer, url: string, accept?: string) {
  const sink = new TestSink();
  const answer = askWatch(server, url, accept);
  await server.store.durable(server.store.revision);
  const stream = new WatchStream(server, answer, sink);
  stream.start();
  return { sink, stream };
}

async function create(server: TestServer, name: string, labels: { [key: string]: string } = {}) {
  ask(server, "POST", CONFIG_MAPS, configMapBody({ name, labels }));
  await server.store.durable(server.store.revision);
}

test("initial objects are sent first, then changes", async () => {
  const server = aServer();
  await create(server, "a");
  const { sink } = await open(server, `${CONFIG_MAPS}?watch=true`);
  await create(server, "b");
  ask(server, "DELETE", `${CONFIG_MAPS}/a`);
  await server.store.durable(server.store.revision);
  expect(sink.contentType).toBe("application/json");
  expect(sink.shown).toEqual(["ADDED a", "ADDED b", "DELETED a"]);
});

test("no event is sent before it is on disk", async () => {
  const server = aServer();
  const { sink } = await open(server, `${CONFIG_MAPS}?watch=true`);
  ask(server, "POST", CONFIG_MAPS, configMapBody({ name: "a" }));
  expect(sink.shown).toEqual([]);
  await server.store.durable(server.store.revision);
  expect(sink.shown).toEqual(["ADDED a"]);
});

test("a bookmark marks the end of initial events if requested", async () => {
  const server = aServer();
  await create(server, "a");
  const query = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  const { sink } = await open(server, `${CONFIG_MAPS}?watch=true&${query}`);
  expect(sink.events.map(({ type }) => type)).toEqual(["ADDED", "BOOKMARK"]);
  expect(sink.events[1]?.object.metadata).toEqual({
    resourceVersion: String(server.store.revision),
    annotations: { "k8s.io/initial-events-end": "true" },
  });
});

test("a bookmark per minute reports the current revision if requested", async () => {
  const server = aServer();
  const wanting = await open(
    server,
    `${CONFIG_MAPS}?watch=true&allowWatchBookmarks=true&resourceVersion=5`,
  );
  const other = await open(server, `${CONFIG_MAPS}?watch=true&resourceVersion=5`);
  server.clock.advance(60_000);
  ask(server, "POST", "/api/v1/namespaces", { metadata: { name: "elsewhere" } });
  await server.store.durable(server.store.revision);
  server.clock.advance(60_000);
  const revisions = wanting.sink.events.map(({ object }) =>
    Number(object.metadata.resourceVersion),
  );
  expect(wanting.sink.shown).toEqual(["BOOKMARK", "BOOKMARK"]);
  expect(revisions).toEqual([server.store.revision - 1, server.store.revision]);
  expect(other.sink.shown).toEqual([]);
});

test("a watch ends after its timeout and sends nothing more", async () => {
  const server = aServer();
  const { sink } = await open(server, `${CONFIG_MAPS}?watch=true&timeoutSeconds=5`);
  server.clock.advance(4999);
  expect(sink.state).toBe("open");
  server.clock.advance(1);
  expect(sink.state).toBe("ended");
  await create(server, "a");
  expect(sink.shown).toEqual([]);
  expect(server.clock.untilNextMs()).toBeUndefined();
});

test("a watch without a timeout ends after 30 to 60 minutes", async () => {
  const server = aServer();
  const ends: number[] = [];
  for (let each = 0; each < 20; each++) {
    const { stream } = await open(server, `${CONFIG_MAPS}?watch=true`);
    ends.push(server.clock.untilNextMs() ?? 0);
    stream.close();
  }
  expect(Math.min(...ends)).toBeGreaterThanOrEqual(30 * 60_000);
  expect(Math.max(...ends)).toBeLessThan(60 * 60_000);
  expect(new Set(ends).size).toBeGreaterThan(10);
});

const LARGE = "x".repeat(40 * 1024);

async function createLarge(server: TestServer, name: string): Promise<void> {
  ask(server, "POST", CONFIG_MAPS, configMapBody({ name }, { a: LARGE }));
  await server.store.durable(server.store.revision);
}

test.each(["", "&labelSelector=!none"])(
  "little is buffered for a client that does not read, and it resumes later (%s)",
  async (selector) => {
    const server = aServer();
    for (const name of ["a", "b", "c", "d"]) await createLarge(server, name);
    const sink = new TestSink();
    sink.isStuck = true;
    const answer = askWatch(server, `${CONFIG_MAPS}?watch=true${selector}`);
    new WatchStream(server, answer, sink).start();
    expect(sink.shown).toEqual(["ADDED a", "ADDED b"]);
    for (const name of ["e", "f", "g"]) await createLarge(server, name);
    expect(sink.bufferedBytes).toBeLessThan(128 * 1024);
    sink.read(true);
    expect(sink.shown).toEqual(["ADDED a", "ADDED b", "ADDED c", "ADDED d"]);
    sink.read(false);
    const all = ["a", "b", "c", "d", "e", "f", "g"].map((name) => `ADDED ${name}`);
    expect(sink.shown).toEqual(all);
    await create(server, "h");
    expect(sink.shown).toEqual([...all, "ADDED h"]);
  },
);

test("missed events are sent in parts, not all at once", async () => {
  const server = aServer();
  const { sink } = await open(server, `${CONFIG_MAPS}?watch=true`);
  const names = Array.from({ length: 20 }, (_, each) => `c${each}`);
  sink.isStuck = true;
  for (const name of names) await createLarge(server, name);
  let most = 0;
  while (sink.bufferedBytes > 0) {
    sink.read(true);
    most = Math.max(most, sink.bufferedBytes);
  }
  expect(most).toBeLessThan(4 * LARGE.length);
  expect(sink.shown).toEqual(names.map((name) => `ADDED ${name}`));
});

test("a client that resumes after its revision expired gets 410", async () => {
  const server = aServer({ historyLimits: { changes: 4 } });
  const { sink } = await open(server, `${CONFIG_MAPS}?watch=true`);
  sink.isStuck = true;
  await createLarge(server, "a");
  await createLarge(server, "b");
  for (let each = 0; each < 8; each++) await create(server, `c${each}`);
  sink.read(false);
  expect(sink.events.slice(2)).toMatchObject([{ type: "ERROR", object: { code: 410 } }]);
  expect(sink.state).toBe("ended");
});

test("a client that does not read is disconnected when its revision has expired", async () => {
  const server = aServer({ historyLimits: { changes: 4 } });
  for (const name of ["a", "b", "c"]) await createLarge(server, name);
  const sink = new TestSink();
  sink.isStuck = true;
  const answer = askWatch(server, `${CONFIG_MAPS}?watch=true`);
  const stream = new WatchStream(server, answer, sink);
  stream.start();
  expect([...sink.kept.values()]).toEqual([3 * 16]);
  stream.closeIfBehind(server.store.oldestRevision);
  expect(sink.state).toBe("open");
  for (let each = 0; each < 8; each++) await create(server, `c${each}`);
  stream.closeIfBehind(server.store.oldestRevision);
  expect(sink.state).toBe("aborted");
});

test("initial objects are released when they are sent", async () => {
  const server = aServer();
  for (const name of ["a", "b", "c"]) await createLarge(server, name);
  const sink = new TestSink();
  sink.isStuck = true;
  new WatchStream(server, askWatch(server, `${CONFIG_MAPS}?watch=true`), sink).start();
  sink.read(false);
  expect(sink.kept.size).toBe(0);
  expect(sink.shown).toEqual(["ADDED a", "ADDED b", "ADDED c"]);
});

test.each(["", "&labelSelector=!none"])(
  "a large batch is sent event by event, and resumes after the last one sent (%s)",
  async (selector) => {
    const server = aServer();
    const { sink } = await open(server, `${CONFIG_MAPS}?watch=true${selector}`);
    sink.isStuck = true;
    const names = ["a", "b", "c", "d", "e"];
    for (const name of names) {
      ask(server, "POST", CONFIG_MAPS, configMapBody({ name }, { a: LARGE }));
    }
    await server.store.durable(server.store.revision);
    expect(sink.shown).toEqual(["ADDED a", "ADDED b"]);
    sink.read(true);
    expect(sink.shown).toEqual(["ADDED a", "ADDED b", "ADDED c", "ADDED d"]);
    sink.read(false);
    expect(sink.shown).toEqual(names.map((name) => `ADDED ${name}`));
  },
);

const FORMS = [
  "application/json",
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
  "application/vnd.kubernetes.protobuf",
].flatMap((accept) => ["", "&labelSelector=!none"].map((selector) => [accept, selector] as const));

test.each(FORMS)("watches share the bytes of an event: %s %s", async (accept, selector) => {
  const unread = new Unread();
  const share: Share = (key, encode) => unread.share(key, encode);
  const server = { ...aServer(), share };
  const large = configMapBody({ name: "a", annotations: { large: LARGE } }, { a: LARGE });
  ask(server, "POST", CONFIG_MAPS, large);
  const sinks = [new TestSink(), new TestSink()];
  for (const sink of sinks) {
    const answer = askWatch(server, `${CONFIG_MAPS}?watch=true${selector}`, accept);
    new WatchStream(server, answer, sink).start();
  }
  ask(server, "PUT", `${CONFIG_MAPS}/a`, { ...large, data: { a: `${LARGE}y` } });
  await server.store.durable(server.store.revision);
  const [one, other] = sinks.map(({ chunks }) => chunks.filter(isLarge));
  expect(one).toHaveLength(2);
  expect(one?.map((chunk, at) => chunk === other?.[at])).toEqual([true, true]);
});

const isLarge = (chunk: Uint8Array): boolean => chunk.length >= 16 * 1024;

test("a bookmark never reports a revision that the client has not reached", async () => {
  const server = aServer();
  const { revision } = server.store;
  const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${revision}`;
  const { sink } = await open(server, `${CONFIG_MAPS}?${query}`);
  sink.isStuck = true;
  await createLarge(server, "a");
  await createLarge(server, "b");
  await create(server, "c");
  server.clock.advance(60_000);
  expect(sink.shown).toEqual(["ADDED a", "ADDED b"]);
  sink.read(false);
  server.clock.advance(60_000);
  expect(sink.shown).toEqual(["ADDED a", "ADDED b", "ADDED c", "BOOKMARK"]);
});

test("a watch from an expired revision gets an ERROR event and ends", async () => {
  const server = aServer({ historyLimits: { changes: 4 } });
  const first = server.store.revision;
  for (const name of ["a", "b", "c", "d", "e", "f", "g", "h"]) await create(server, name);
  const { sink } = await open(server, `${CONFIG_MAPS}?watch=true&resourceVersion=${first}`);
  expect(sink.events).toMatchObject([{ type: "ERROR", object: { code: 410, reason: "Expired" } }]);
  expect(sink.state).toBe("ended");
});

test("watches with other scopes, selectors and forms each get their own events", async () => {
  const server = aServer();
  const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const partial = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
  const protobuf = "application/vnd.kubernetes.protobuf";
  const watches = {
    all: await open(server, "/api/v1/configmaps?watch=true"),
    twin: await open(server, "/api/v1/configmaps?watch=true"),
    space: await open(server, "/api/v1/namespaces/kube-public/configmaps?watch=true"),
    chosen: await open(server, "/api/v1/configmaps?watch=true&labelSelector=n%3D1"),
    table: await open(server, "/api/v1/configmaps?watch=true", table),
    partial: await open(server, "/api/v1/configmaps?watch=true", partial),
    protobuf: await open(server, "/api/v1/configmaps?watch=true", protobuf),
  };
  ask(server, "POST", CONFIG_MAPS, configMapBody({ name: "a", labels: { n: "1" } }));
  const elsewhere = configMapBody({ name: "b", namespace: "kube-public" });
  ask(server, "POST", "/api/v1/namespaces/kube-public/configmaps", elsewhere);
  await server.store.durable(server.store.revision);
  const { all, twin, space, chosen } = watches;
  expect(all.sink.shown).toEqual(["ADDED a", "ADDED b"]);
  expect(twin.sink.bytes).toEqual(all.sink.bytes);
  expect(space.sink.shown).toEqual(["ADDED b"]);
  expect(chosen.sink.shown).toEqual(["ADDED a"]);
  const kinds = (sink: TestSink) => sink.events.map(({ object }) => object.kind);
  expect(kinds(watches.table.sink)).toEqual(["Table", "Table"]);
  expect(kinds(watches.partial.sink)).toEqual(["PartialObjectMetadata", "PartialObjectMetadata"]);
  expect(watches.protobuf.sink.contentType).toBe(`${protobuf};stream=watch`);
  expect(watches.protobuf.sink.bytes.includes("k8s\0")).toBe(true);
});

test("only the first table of a watch has its columns", async () => {
  const server = aServer();
  const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const { sink } = await open(server, `${CONFIG_MAPS}?watch=true`, accept);
  await create(server, "a");
  await create(server, "b");
  const tables = sink.events.map(
    ({ object }) => object as unknown as { columnDefinitions: unknown },
  );
  expect(tables.map(({ columnDefinitions }) => columnDefinitions === null)).toEqual([false, true]);
});

test("a watch that waits for its turn gets all events since in one write", async () => {
  const server = aServer();
  const sink = new TestSink();
  const waiting: { tell(): number }[] = [];
  const fanOut = { enter: (watch: { tell(): number }) => void waiting.push(watch) };
  const query = `allowWatchBookmarks=true&resourceVersion=${server.store.revision}`;
  const answer = askWatch(server, `${CONFIG_MAPS}?watch=true&${query}`);
  await server.store.durable(server.store.revision);
  new WatchStream(server, answer, sink, fanOut).start();
  for (const name of ["a", "b", "c"]) await create(server, name);
  server.clock.advance(60_000);
  expect({ shown: sink.shown, turns: waiting.length }).toEqual({ shown: [], turns: 1 });
  waiting.shift()?.tell();
  expect(sink.shown).toEqual(["ADDED a", "ADDED b", "ADDED c"]);
  await create(server, "d");
  waiting.shift()?.tell();
  expect(sink.shown.at(-1)).toBe("ADDED d");
});

test("a watch that waits for long stops listening and misses nothing", async () => {
  const server = aServer();
  const sink = new TestSink();
  const waiting: { tell(): number }[] = [];
  const fanOut = { enter: (watch: { tell(): number }) => void waiting.push(watch) };
  const answer = askWatch(server, `${CONFIG_MAPS}?watch=true`);
  await server.store.durable(server.store.revision);
  new WatchStream(server, answer, sink, fanOut).start();
  const names = Array.from({ length: 1_100 }, (_, at) => `c${at}`);
  for (const name of names) ask(server, "POST", CONFIG_MAPS, configMapBody({ name }));
  await server.store.durable(server.store.revision);
  await create(server, "later");
  while (waiting.length > 0) waiting.shift()?.tell();
  expect(sink.shown).toEqual([...names, "later"].map((name) => `ADDED ${name}`));
});
