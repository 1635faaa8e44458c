import { describe, expect, test } from "vitest";
import { configMapBody } from "../../test/builders/resources.ts";
import { aServer } from "../../test/builders/server.ts";
import { clientContract } from "../../test/contracts/client-contract.ts";
import { refusalCode } from "../../test/contracts/refusal.ts";
import { configMaps, namespaces, workflows } from "../api/resources.ts";
import { systemClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { bearerAuthenticator } from "../server/http/guard.ts";
import { listen } from "../server/http/listen.ts";
import { openCache } from "./cache.ts";
import { protobufForm } from "./protobuf-form.ts";
import { type RemoteClient, type RemoteOptions, remoteClient } from "./remote.ts";

const USER = { name: "admin", groups: ["system:masters"] };
const TOKEN = "secret";
const rememberedChanges = 20;

async function open({ token = TOKEN, formOf }: Partial<RemoteOptions> = {}) {
  const api = aServer({ historyLimits: { changes: rememberedChanges } });
  const authenticate = bearerAuthenticator((told) => (told === TOKEN ? USER : undefined));
  const guard = { hosts: new Set(["127.0.0.1"]), authenticate };
  const listener = await listen(api, { address: "127.0.0.1", port: 0, guard });
  const server = `http://127.0.0.1:${listener.port}`;
  const client = remoteClient({ server, token, ...(formOf ? { formOf } : {}) });
  return {
    client,
    server,
    rememberedChanges,
    close: async () => {
      client.close();
      await listener.close();
      await api.store.close();
    },
  };
}

clientContract(open);

describe("in protobuf", () => {
  clientContract(() => open({ formOf: protobufForm }));

  test("objects and errors are the same as in JSON", async () => {
    const { client, server, close } = await open({ formOf: protobufForm });
    const made = await client.create(configMaps, configMapBody({ name: "a" }));
    const plain = remoteClient({ server, token: TOKEN });
    expect(await plain.get(configMaps, { namespace: "default", name: "a" })).toEqual(made);
    const refusal = (each: RemoteClient) =>
      each.create(configMaps, made).catch((error: unknown) => error);
    expect(await refusal(client)).toEqual(await refusal(plain));
    plain.close();
    await close();
  });

  test("custom resources use JSON", () => {
    expect(protobufForm(workflows)).toBeUndefined();
    expect(protobufForm(configMaps)?.contentType).toBe("application/vnd.kubernetes.protobuf");
  });
});

test("a request with a wrong token is rejected", async () => {
  const { client, close } = await open({ token: "wrong" });
  expect(await refusalCode(client.list(namespaces))).toBe("401 Unauthorized");
  await close();
});

test("a cache over the wire shows a write after seen()", async () => {
  const { client, close } = await open();
  const cache = await openCache({ client, type: configMaps, clock: systemClock, log: silentLog });
  const made = await client.create(configMaps, configMapBody({ name: "a" }));
  await cache.seen(made.metadata.resourceVersion ?? "");
  expect(cache.get("default", "a")).toEqual(made);
  cache.close();
  await close();
});
