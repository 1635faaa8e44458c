import { expect, test } from "vitest";
import { configMapBody } from "../../test/builders/resources.ts";
import { aServer } from "../../test/builders/server.ts";
import { clientContract } from "../../test/contracts/client-contract.ts";
import { refusalCode } from "../../test/contracts/refusal.ts";
import { configMaps, namespaces } from "../api/resources.ts";
import { systemClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { bearerAuthenticator } from "../server/http/guard.ts";
import { listen } from "../server/http/listen.ts";
import { openCache } from "./cache.ts";
import { remoteClient } from "./remote.ts";

const USER = { name: "admin", groups: ["system:masters"] };
const TOKEN = "secret";
const rememberedChanges = 20;

async function open(token = TOKEN) {
  const server = aServer({ historyLimits: { changes: rememberedChanges } });
  const authenticate = bearerAuthenticator((told) => (told === TOKEN ? USER : undefined));
  const guard = { hosts: new Set(["127.0.0.1"]), authenticate };
  const listener = await listen(server, { address: "127.0.0.1", port: 0, guard });
  const client = remoteClient({ server: `http://127.0.0.1:${listener.port}`, token });
  return {
    client,
    rememberedChanges,
    close: async () => {
      client.close();
      await listener.close();
      await server.store.close();
    },
  };
}

clientContract(open);

test("who is not known is refused", async () => {
  const { client, close } = await open("wrong");
  expect(await refusalCode(client.list(namespaces))).toBe("401 Unauthorized");
  await close();
});

test("a cache over the wire shows a write when it has seen it", async () => {
  const { client, close } = await open();
  const cache = await openCache({ client, type: configMaps, clock: systemClock, log: silentLog });
  const made = await client.create(configMaps, configMapBody({ name: "a" }));
  await cache.seen(made.metadata.resourceVersion ?? "");
  expect(cache.get("default", "a")).toEqual(made);
  cache.close();
  await close();
});
