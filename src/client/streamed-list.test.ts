import { expect, test } from "vitest";
import type { Client, WatchHandlers, WatchRequest } from "../api/client.ts";
import { ApiError } from "../api/errors.ts";
import type { ConfigMap } from "../api/generated/core.ts";
import { configMaps } from "../api/resources.ts";
import { silentLog } from "../base/log.ts";
import { ManualClock } from "../base/manual-clock.ts";
import { openCache } from "./cache.ts";

function map(name: string, resourceVersion: string): ConfigMap {
  const metadata = { name, namespace: "ns", uid: name, resourceVersion };
  return { apiVersion: "v1", kind: "ConfigMap", metadata };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A server that sends what the test defines. */
function scripted() {
  const clock = new ManualClock();
  const watches: { readonly request: WatchRequest; readonly handlers: WatchHandlers<ConfigMap> }[] =
    [];
  let lists = 0;
  const client = {
    streamsLists: true,
    watch: (_: unknown, request: WatchRequest, handlers: WatchHandlers<ConfigMap>) => {
      watches.push({ request, handlers });
      return { close: () => {} };
    },
    list: async () => {
      lists++;
      return { items: [map("listed", "5")], resourceVersion: "5" };
    },
  } as unknown as Client;
  const opening = openCache({ client, type: configMaps, clock, log: silentLog });
  const last = () => {
    const watch = watches.at(-1);
    if (!watch) throw new Error("there is no watch");
    return watch.handlers;
  };
  return { clock, opening, watches, last, lists: () => lists };
}

test("a list is streamed, and the stream continues as the watch", async () => {
  const { opening, watches, last, lists } = scripted();
  expect(watches[0]?.request).toEqual({ resourceVersion: "", sendInitialEvents: true });
  last().onEvent({ type: "ADDED", object: map("a", "1") });
  last().onEvent({ type: "ADDED", object: map("b", "2") });
  last().onBookmark?.({ resourceVersion: "7", isInitialEnd: true });
  const cache = await opening;
  expect(cache.list().map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
  expect([cache.hasSeen("7"), cache.hasSeen("8")]).toEqual([true, false]);
  last().onEvent({ type: "DELETED", object: map("a", "8") });
  expect(cache.list()).toHaveLength(1);
  last().onBookmark?.({ resourceVersion: "12", isInitialEnd: false });
  expect(cache.hasSeen("12")).toBe(true);
  expect([watches.length, lists()]).toEqual([1, 0]);
  cache.close();
});

test("a broken stream resumes from the last bookmark; 410 starts a new one", async () => {
  const { opening, watches, last, clock } = scripted();
  last().onBookmark?.({ resourceVersion: "7", isInitialEnd: true });
  const cache = await opening;
  last().onBookmark?.({ resourceVersion: "9", isInitialEnd: false });
  clock.advance(100_000);
  last().onEnd();
  clock.advance(0);
  expect(watches[1]?.request).toEqual({ resourceVersion: "9" });
  last().onEnd(new ApiError(410, "Expired", "too old"));
  clock.advance(0);
  expect(watches[2]?.request).toMatchObject({ sendInitialEvents: true });
  last().onEvent({ type: "ADDED", object: map("c", "20") });
  last().onBookmark?.({ resourceVersion: "21", isInitialEnd: true });
  expect(cache.list().map(({ metadata }) => metadata.name)).toEqual(["c"]);
  cache.close();
});

test("a server that cannot stream lists is sent a list request", async () => {
  const { opening, last, lists, watches } = scripted();
  last().onEnd(new ApiError(422, "Invalid", "sendInitialEvents is forbidden"));
  const cache = await opening;
  await settle();
  expect(lists()).toBe(1);
  expect(cache.get("ns", "listed")).toBeDefined();
  expect(watches.at(-1)?.request).toEqual({ resourceVersion: "5" });
  cache.close();
});

test("a stream that breaks before the initial end shows nothing and restarts", async () => {
  const { opening, last, watches, clock } = scripted();
  last().onEvent({ type: "ADDED", object: map("a", "1") });
  last().onEnd(new Error("cut"));
  clock.advance(2_000);
  expect(watches).toHaveLength(2);
  last().onBookmark?.({ resourceVersion: "7", isInitialEnd: true });
  const cache = await opening;
  expect(cache.list()).toEqual([]);
  cache.close();
});
