import { expect, test } from "vitest";
import { configMapBody } from "../../test/builders/resources.ts";
import { aServer } from "../../test/builders/server.ts";
import { configMaps } from "../api/resources.ts";
import { localClient } from "../client/local.ts";
import { fenced } from "./fenced-client.ts";
import { inNamespace } from "./in-namespace.ts";

const A = { namespace: "default", name: "a" };

test("a client that no longer leads can read but not write", async () => {
  const client = localClient(aServer());
  let leads = true;
  const fence = fenced(client, () => leads);
  await fence.client.create(configMaps, configMapBody({ name: "a", namespace: "default" }));
  leads = false;
  await expect(fence.client.delete(configMaps, A)).rejects.toThrow("no longer leading");
  const patch = { type: "merge", body: {} } as const;
  await expect(fence.client.patch(configMaps, A, patch)).rejects.toThrow("no longer leading");
  expect((await fence.client.get(configMaps, A)).metadata.name).toBe("a");
});

test("close waits for sent requests and rejects further ones", async () => {
  const client = localClient(aServer());
  let answer: () => void = () => {};
  const slow = {
    ...client,
    delete: () =>
      new Promise<void>((resolve) => {
        answer = resolve;
      }),
  };
  const fence = fenced(slow, () => true);
  void fence.client.delete(configMaps, A);
  let isClosed = false;
  const closing = fence.close().then(() => {
    isClosed = true;
  });
  await expect(fence.client.delete(configMaps, A)).rejects.toThrow("no longer leading");
  expect(isClosed).toBe(false);
  answer();
  await closing;
});

test("a client restricted to one namespace lists only that namespace", async () => {
  const client = localClient(aServer());
  await client.create(configMaps, configMapBody({ name: "a", namespace: "default" }));
  await client.create(configMaps, configMapBody({ name: "b", namespace: "kube-public" }));
  const { items } = await inNamespace(client, "kube-public").list(configMaps);
  expect(items.map((item) => item.metadata.name)).toEqual(["b"]);
});
