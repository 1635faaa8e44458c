import { expect, test } from "vitest";
import { aServer } from "../../test/builders/server.ts";
import type { Client } from "../api/client.ts";
import { configMaps } from "../api/resources.ts";
import { localClient } from "./local.ts";
import { untilGone } from "./watch-until.ts";

const PLACE = { namespace: "default" };

async function create(client: Client, name: string) {
  return client.create(configMaps, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { ...PLACE, name, labels: { app: "x" } },
  });
}

test("it resolves at once if nothing is selected", async () => {
  const client = localClient(await aServer());
  await untilGone(client, configMaps, { ...PLACE, labelSelector: "app=x" });
});

test("it resolves when the last of the selected objects is deleted", async () => {
  const client = localClient(await aServer());
  await create(client, "one");
  await create(client, "two");
  let isOver = false;
  const gone = untilGone(client, configMaps, { ...PLACE, labelSelector: "app=x" }).then(() => {
    isOver = true;
  });
  await client.delete(configMaps, { ...PLACE, name: "one" });
  await client.list(configMaps, PLACE);
  expect(isOver).toBe(false);
  await client.delete(configMaps, { ...PLACE, name: "two" });
  await gone;
});

test("with a uid it ignores a later object of the same name", async () => {
  const client = localClient(await aServer());
  const { metadata } = await create(client, "one");
  const only = { ...PLACE, fieldSelector: "metadata.name=one" };
  const gone = untilGone(client, configMaps, only, metadata.uid);
  await client.delete(configMaps, { ...PLACE, name: "one" });
  await create(client, "one");
  await gone;
});

test("it lists again if the watch ends", async () => {
  const plain = localClient(await aServer());
  await create(plain, "one");
  let watches = 0;
  const client: Client = {
    ...plain,
    watch: (type, request, handlers) => {
      watches++;
      if (watches > 1) return plain.watch(type, request, handlers);
      void plain.delete(configMaps, { ...PLACE, name: "one" }).then(() => handlers.onEnd());
      return { close: () => {} };
    },
  };
  await untilGone(client, configMaps, { ...PLACE, labelSelector: "app=x" });
  expect(watches).toBe(1);
});
