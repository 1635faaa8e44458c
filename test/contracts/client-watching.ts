/** The part of the contract about watches. */
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/api/client.ts";
import { configMaps, jobs } from "../../src/api/resources.ts";
import { configMapBody } from "../builders/resources.ts";
import type { Open } from "./client-contract.ts";
import { watchEvents } from "./seen-events.ts";

export function watchingContract(open: Open): void {
  describe("watch", () => {
    eventContract(open);
    selectionContract(open);
    endContract(open);
  });
}

function eventContract(open: Open): void {
  test("delivers creations, changes and deletions, in order", async () => {
    const { client } = await open();
    const { resourceVersion } = await client.list(configMaps);
    const seen = watchEvents(client, configMaps, { resourceVersion });
    await client.create(configMaps, configMapBody({ name: "a" }));
    await relabel(client, "a", { on: "yes" });
    await client.delete(configMaps, { namespace: "default", name: "a" });
    expect(await seen.first(3)).toEqual(["ADDED a", "MODIFIED a", "DELETED a"]);
    seen.close();
  });

  test("starts right after the requested revision", async () => {
    const { client } = await open();
    const before = await client.create(configMaps, configMapBody({ name: "a" }));
    await client.create(configMaps, configMapBody({ name: "b" }));
    await relabel(client, "a", { on: "yes" });
    const resourceVersion = before.metadata.resourceVersion ?? "";
    const seen = watchEvents(client, configMaps, { resourceVersion });
    await client.create(configMaps, configMapBody({ name: "c" }));
    expect(await seen.first(3)).toEqual(["ADDED b", "MODIFIED a", "ADDED c"]);
    seen.close();
  });

  test("an earlier event shows the object as it was then", async () => {
    const { client } = await open();
    const { resourceVersion } = await client.list(configMaps);
    const made = await client.create(configMaps, configMapBody({ name: "a" }));
    await relabel(client, "a", { on: "yes" });
    const seen = watchEvents(client, configMaps, { resourceVersion });
    await seen.first(2);
    expect(seen.all[0]?.object).toEqual(made);
    seen.close();
  });

  test("a deletion carries the last state, at the revision of the deletion", async () => {
    const { client } = await open();
    const made = await client.create(configMaps, configMapBody({ name: "a" }, { k: "v" }));
    const resourceVersion = made.metadata.resourceVersion ?? "";
    const seen = watchEvents(client, configMaps, { resourceVersion });
    await client.delete(configMaps, { namespace: "default", name: "a" });
    await seen.first(1);
    const last = seen.all[0]?.object;
    expect(last?.data).toEqual({ k: "v" });
    expect(Number(last?.metadata.resourceVersion)).toBeGreaterThan(Number(resourceVersion));
    const rest = watchEvents(client, configMaps, {
      resourceVersion: last?.metadata.resourceVersion ?? "",
    });
    await client.create(configMaps, configMapBody({ name: "b" }));
    expect(await rest.first(1)).toEqual(["ADDED b"]);
    seen.close();
    rest.close();
  });
}

function selectionContract(open: Open): void {
  test("an object that starts to match is added, one that stops to match is deleted", async () => {
    const { client } = await open();
    const { resourceVersion } = await client.list(configMaps);
    const seen = watchEvents(client, configMaps, { resourceVersion, labelSelector: "on=yes" });
    await client.create(configMaps, configMapBody({ name: "a", labels: { step: "1" } }));
    await relabel(client, "a", { on: "yes", step: "2" });
    await relabel(client, "a", { step: "3" });
    const left = await relabel(client, "a", { on: "no", step: "4" });
    await relabel(client, "a", { step: "5" });
    await relabel(client, "a", { on: "yes", step: "6" });
    await client.delete(configMaps, { namespace: "default", name: "a" });
    expect(await seen.first(5)).toEqual([
      "ADDED a",
      "MODIFIED a",
      "DELETED a",
      "ADDED a",
      "DELETED a",
    ]);
    const steps = seen.all.map(({ object }) => object.metadata.labels?.["step"]);
    expect(steps).toEqual(["2", "3", "3", "6", "6"]);
    // The last matching state, at the revision at which the object stopped matching.
    const { resourceVersion: leftAt } = seen.all[2]?.object.metadata ?? {};
    expect(leftAt).toBe(left.metadata.resourceVersion);
    seen.close();
  });

  test("is limited to its namespace, and by a field selector to its object", async () => {
    const { client } = await open();
    const { resourceVersion } = await client.list(configMaps);
    const space = watchEvents(client, configMaps, { resourceVersion, namespace: "kube-public" });
    const one = watchEvents(client, configMaps, {
      resourceVersion,
      fieldSelector: "metadata.name=b,metadata.namespace=default",
    });
    for (const name of ["a", "b"]) {
      await client.create(configMaps, configMapBody({ name }));
      await client.create(configMaps, configMapBody({ name, namespace: "kube-public" }));
    }
    await client.delete(configMaps, { namespace: "default", name: "b" });
    expect(await space.first(2)).toEqual(["ADDED a", "ADDED b"]);
    expect(await one.first(2)).toEqual(["ADDED b", "DELETED b"]);
    expect([space, one].map(({ all }) => all.length)).toEqual([2, 2]);
    space.close();
    one.close();
  });
}

function endContract(open: Open): void {
  test("a closed watch delivers nothing more, not even its end", async () => {
    const { client } = await open();
    const { resourceVersion } = await client.list(configMaps);
    const closed = watchEvents(client, configMaps, { resourceVersion });
    const other = watchEvents(client, configMaps, { resourceVersion });
    closed.close();
    await client.create(configMaps, configMapBody({ name: "a" }));
    await other.first(1);
    expect(closed.all).toEqual([]);
    other.close();
  });

  test("from a revision that is no longer remembered ends with 410", async () => {
    const { client, rememberedChanges } = await open();
    const { resourceVersion } = await client
      .create(configMaps, configMapBody({ name: "a" }))
      .then(({ metadata }) => ({ resourceVersion: metadata.resourceVersion ?? "" }));
    for (let change = 0; change < 2 * rememberedChanges; change++) {
      await relabel(client, "a", { change: String(change) });
    }
    const seen = watchEvents(client, configMaps, { resourceVersion });
    expect(await seen.end).toMatchObject({ code: 410, reason: "Expired" });
    expect(seen.all).toEqual([]);
  });

  test.each([
    ["an invalid selector", configMaps, { labelSelector: "a=(" }, 400],
    ["a resource that is not served", { ...jobs, resource: "tasks" }, {}, 404],
  ])("of %s ends with an error", async (_, type, request, code) => {
    const { client } = await open();
    const seen = watchEvents(client, type, { resourceVersion: "1", ...request });
    expect(await seen.end).toMatchObject({ code });
  });
}

function relabel(client: Client, name: string, labels: { readonly [key: string]: string }) {
  const place = { namespace: "default", name };
  return client.patch(configMaps, place, { type: "merge", body: { metadata: { labels } } });
}
