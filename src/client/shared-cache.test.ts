import { expect, test } from "vitest";
import { configMapBody } from "../../test/builders/resources.ts";
import { aServer } from "../../test/builders/server.ts";
import type { Client } from "../api/client.ts";
import type { KubeObject } from "../api/object.ts";
import { configMaps } from "../api/resources.ts";
import { silentLog } from "../base/log.ts";
import { openCache } from "./cache.ts";
import { localClient } from "./local.ts";

test("caches of a whole resource share one watch but have their own indexes", async () => {
  const server = aServer();
  const client = localClient(server);
  let watches = 0;
  const counting: Client = {
    ...client,
    watch: (type, request, handlers) => {
      watches++;
      return client.watch(type, request, handlers);
    },
  };
  const options = { client: counting, type: configMaps, clock: server.clock, log: silentLog };
  const byName = ({ metadata }: KubeObject) => [metadata.name ?? ""];
  const byLength = ({ metadata }: KubeObject) => [String(metadata.name?.length)];
  const one = await openCache({ ...options, indexes: { index: byName } });
  await client.create(configMaps, configMapBody({ name: "before" }));
  const other = await openCache({ ...options, indexes: { index: byLength } });
  expect(watches).toBe(1);
  const heard: string[] = [];
  one.onChange(({ object }) => heard.push(`one ${object.metadata.name}`));
  other.onChange(({ object }) => heard.push(`other ${object.metadata.name}`));
  await client.create(configMaps, configMapBody({ name: "a" }));
  expect(one.find("index", "before")).toHaveLength(1);
  expect(other.find("index", "6")).toHaveLength(1);
  one.close();
  await client.create(configMaps, configMapBody({ name: "b" }));
  expect(heard).toEqual(["one a", "other a", "other b"]);
  expect(other.find("index", "1")).toHaveLength(2);
  other.close();
  const third = await openCache(options);
  expect(watches).toBe(2);
  third.close();
});

test("closing a cache rejects its own waiters and leaves other caches open", async () => {
  const server = aServer();
  const client = localClient(server);
  const options = { client, type: configMaps, clock: server.clock, log: silentLog };
  const one = await openCache(options);
  const other = await openCache(options);
  const waiting = one.seen("999999");
  one.close();
  await expect(waiting).rejects.toThrow();
  expect(other.hasSeen("1")).toBe(true);
  other.close();
});
