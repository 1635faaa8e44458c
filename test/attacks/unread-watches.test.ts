/**
 * Unread watches and lists share memory, are limited per user, and free their memory when closed.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Listener, listen } from "../../src/server/http/listen.ts";
import { UNREAD_ANSWER_LIMITS, UNREAD_LIMITS, Unread } from "../../src/server/http/unread.ts";
import { configMapBody } from "../builders/resources.ts";
import { aServer, type TestServer } from "../builders/server.ts";
import { ask } from "../support/ask.ts";
import { poll } from "../support/poll.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";
const LARGE = "x".repeat(900_000);
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
const MIB = 1024 * 1024;

let server: TestServer;
let unread: Unread;
let unreadAnswers: Unread;
let listener: Listener;
let watches: Watch[];
let directory: string;
let socketPath: string;

async function start(changes?: number): Promise<void> {
  unread = new Unread();
  unreadAnswers = new Unread(UNREAD_ANSWER_LIMITS);
  const plain = aServer(changes === undefined ? {} : { historyLimits: { changes } });
  server = { ...plain, unread, unreadAnswers };
  const guard = {
    hosts: new Set(["127.0.0.1"]),
    authenticate: ({ authorization = "" }) => ({ name: authorization, groups: [] }),
  };
  // A Unix socket: unlike TCP, it buffers little itself.
  listener = await listen(server, { socket: socketPath, guard });
}

beforeEach(() => {
  watches = [];
  directory = mkdtempSync(path.join(tmpdir(), "tally-unread-"));
  socketPath = path.join(directory, "socket");
});
afterEach(async () => {
  for (const { response } of watches) response.destroy();
  await listener.close();
  rmSync(directory, { recursive: true, force: true });
});

interface Watch {
  readonly response: IncomingMessage;
  isOpen: boolean;
}

/** Opens a watch and never reads from it. */
function open(
  user: string,
  query: string,
  accept = "application/json",
  where = `${MAPS}?watch=1&${query}`,
): Promise<Watch> {
  const headers = { Authorization: user, Accept: accept };
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", socketPath, path: where, headers, agent: false });
    sent.on("error", reject);
    sent.on("response", (response) => {
      const watch: Watch = { response, isOpen: true };
      response.on("error", () => {});
      response.on("close", () => {
        watch.isOpen = false;
      });
      watches.push(watch);
      resolve(watch);
    });
    sent.end();
  });
}

/** Requests a list and never reads from it. */
function openList(user: string): Promise<Watch> {
  return open(user, "", "application/json", MAPS);
}

function create(name: string): number {
  ask(server, "POST", MAPS, configMapBody({ name }, { a: LARGE }));
  return server.store.revision;
}

/** Resolves with the first events of a watch, with their texts shortened. */
async function events(watch: Watch, count: number): Promise<readonly string[]> {
  let text = "";
  for await (const piece of watch.response) {
    text += String(piece).replaceAll(/x{100,}/g, "");
    if (text.split("\n").length > count) break;
  }
  return text
    .split("\n")
    .slice(0, count)
    .map((line) => JSON.parse(line))
    .map(({ type, object }) => `${type} ${object.metadata?.name ?? object.code}`);
}

test.each([
  ["JSON", "application/json", ""],
  ["a selector of its own each", "application/json", "&labelSelector=x!={at}"],
  ["protobuf", "application/vnd.kubernetes.protobuf", ""],
  ["tables with objects", TABLE, "&includeObject=Object"],
])("hundreds of unread watches share one copy of an event: %s", async (_, accept, query) => {
  await start();
  ask(server, "POST", MAPS, configMapBody({ name: "a-small-one" }));
  create("large");
  await server.store.durable(server.store.revision);
  for (let at = 0; at < 200; at++) {
    await open("mallory", `resourceVersion=0${query.replace("{at}", `${at}`)}`, accept);
  }
  expect(unread.bytes).toBeGreaterThan(LARGE.length);
  // Tables contain ages, which would change every second; the clock of this server is stopped.
  expect(unread.bytes).toBeLessThan(LARGE.length + MIB);
  for (const { response } of watches) response.destroy();
  await poll(() => unread.bytes).toBe(0);
});

test("a user whose unread watches use too much memory loses the oldest ones", async () => {
  await start();
  const first = create("c0");
  const count = Math.ceil(UNREAD_LIMITS.bytesPerUser / LARGE.length) + 20;
  for (let at = 1; at < count; at++) create(`c${at}`);
  await server.store.durable(server.store.revision);
  const alice = await open("alice", `resourceVersion=${first - 1}&fieldSelector=metadata.name=c0`);
  let most = 0;
  for (let at = 0; at < count; at++) {
    await open("mallory", `resourceVersion=0&fieldSelector=metadata.name=c${at}`);
    most = Math.max(most, unread.bytesOf("mallory"));
  }
  expect(most).toBeGreaterThan(UNREAD_LIMITS.bytesPerUser / 2);
  expect(most).toBeLessThanOrEqual(UNREAD_LIMITS.bytesPerUser);
  const [, oldest] = watches;
  if (!oldest) throw new Error("no watch was opened");
  oldest.response.resume();
  await poll(() => oldest.isOpen).toBe(false);
  expect(alice.isOpen).toBe(true);
  expect(await events(alice, 1)).toEqual(["ADDED c0"]);
  const again = await open("mallory", `resourceVersion=${first - 1}`);
  expect(await events(again, 3)).toEqual(["ADDED c0", "ADDED c1", "ADDED c2"]);
});

test("an unread watch whose history is gone frees its memory, and then gets 410", async () => {
  await start(10);
  const revision = create("a");
  await server.store.durable(revision);
  const watch = await open("mallory", `resourceVersion=${revision - 1}`);
  for (let at = 0; at < 20; at++) {
    create(`c${at}`);
    await server.store.durable(server.store.revision);
  }
  await poll(() => unread.bytes).toBe(0);
  watch.response.resume();
  await poll(() => watch.isOpen).toBe(false);
  const again = await open("mallory", `resourceVersion=${revision}`);
  expect(await events(again, 1)).toEqual(["ERROR 410"]);
});

test("unread answers are limited per user, too", async () => {
  await start();
  for (let at = 0; at < 10; at++) create(`c${at}`);
  await server.store.durable(server.store.revision);
  const alice = await openList("alice");
  const listBytes = unreadAnswers.bytesOf("alice");
  expect(listBytes).toBeGreaterThan(10 * LARGE.length);
  let most = 0;
  for (let at = 0; at < 30; at++) {
    await openList("mallory");
    most = Math.max(most, unreadAnswers.bytesOf("mallory"));
  }
  expect(most).toBeGreaterThan(UNREAD_ANSWER_LIMITS.bytesPerUser - listBytes);
  expect(most).toBeLessThanOrEqual(UNREAD_ANSWER_LIMITS.bytesPerUser);
  expect(unreadAnswers.bytesOf("alice")).toBe(listBytes);
  let bytes = 0;
  for await (const piece of alice.response) bytes += (piece as Buffer).length;
  expect(bytes).toBe(listBytes);
  for (const { response } of watches) response.destroy();
  await poll(() => unreadAnswers.bytes).toBe(0);
});
