import { expect, test } from "vitest";
import { configMapBody } from "../../test/builders/resources.ts";
import { aServer } from "../../test/builders/server.ts";
import { clientContract } from "../../test/contracts/client-contract.ts";
import { watchEvents } from "../../test/contracts/seen-events.ts";
import { configMaps } from "../api/resources.ts";
import { localClient } from "./local.ts";

const rememberedChanges = 20;

clientContract(async () => {
  const server = aServer({ historyLimits: { changes: rememberedChanges } });
  return { client: localClient(server), rememberedChanges, close: () => server.store.close() };
});

test("a write is visible before it is on disk, by reference", async () => {
  const server = aServer();
  const client = localClient(server);
  const { resourceVersion } = await client.list(configMaps);
  const seen = watchEvents(client, configMaps, { resourceVersion });
  const creation = client.create(configMaps, configMapBody({ name: "a" }));
  expect(seen.all).toHaveLength(1);
  expect(server.store.durableRevision).toBeLessThan(server.store.revision);
  const made = await creation;
  expect(seen.all[0]?.object).toBe(made);
  expect(await client.get(configMaps, { namespace: "default", name: "a" })).toBe(made);
});

test("missing fields get defaults and unknown fields are dropped", async () => {
  const client = localClient(aServer());
  const { data: _none, ...bare } = configMapBody({ name: "a" }, {});
  const made = await client.create(configMaps, { ...bare, unknown: 1 } as typeof bare);
  expect(made).not.toHaveProperty("unknown");
});
