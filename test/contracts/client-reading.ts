/** The part of the contract about get and list. */
import { describe, expect, test } from "vitest";
import { configMaps, jobs, namespaces } from "../../src/api/resources.ts";
import { configMapBody, jobBody } from "../builders/resources.ts";
import type { Open } from "./client-contract.ts";
import { refusal, refusalCode } from "./refusal.ts";

export function readingContract(open: Open): void {
  describe("get", () => getContract(open));
  describe("list", () => listContract(open));
  describe("pages", () => pageContract(open));
}

function getContract(open: Open): void {
  test("returns the created object", async () => {
    const { client } = await open();
    const made = await client.create(configMaps, configMapBody({ name: "a" }, { k: "v" }));
    expect(await client.get(configMaps, { namespace: "default", name: "a" })).toEqual(made);
  });

  test("a cluster-scoped object is named without a namespace", async () => {
    const { client } = await open();
    const found = await client.get(namespaces, { name: "default" });
    expect(found).toMatchObject({ kind: "Namespace", status: { phase: "Active" } });
  });

  test("a missing object is an ApiError with code 404", async () => {
    const { client } = await open();
    const error = await refusal(client.get(jobs, { namespace: "default", name: "gone" }));
    expect(error.status).toMatchObject({
      code: 404,
      reason: "NotFound",
      message: 'jobs.batch "gone" not found',
      details: { name: "gone", group: "batch", kind: "jobs" },
    });
  });

  test("an unknown resource is a 404", async () => {
    const { client } = await open();
    const unknown = { ...jobs, resource: "tasks" };
    expect(await refusalCode(client.get(unknown, { namespace: "default", name: "a" }))).toBe(
      "404 NotFound",
    );
    expect(await refusalCode(client.list(unknown))).toBe("404 NotFound");
  });
}

function listContract(open: Open): void {
  const filled = async () => {
    const { client } = await open();
    const made = [
      ["default", "a", "1"],
      ["default", "b", "2"],
      ["kube-public", "a", "1"],
    ] as const;
    for (const [namespace, name, n] of made) {
      await client.create(jobs, jobBody({ namespace, name, labels: { n, contract: "yes" } }));
    }
    return client;
  };

  test.each([
    ["all namespaces", {}, ["default/a", "default/b", "kube-public/a"]],
    ["one namespace", { namespace: "default" }, ["default/a", "default/b"]],
    ["a label", { labelSelector: "n=1" }, ["default/a", "kube-public/a"]],
    ["a missing label", { labelSelector: "!contract" }, []],
    ["a set of labels", { labelSelector: "n in (2,3)" }, ["default/b"]],
    ["a name", { fieldSelector: "metadata.name=a" }, ["default/a", "kube-public/a"]],
    ["a field of the kind", { fieldSelector: "status.successful!=0" }, []],
    [
      "all of these",
      { namespace: "default", labelSelector: "n=1", fieldSelector: "metadata.name!=b" },
      ["default/a"],
    ],
  ])("by %s, in order", async (_, request, expected) => {
    const client = await filled();
    const { items } = await client.list(jobs, request);
    expect(items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual(expected);
  });

  test("listed objects have their kind, as from get", async () => {
    const client = await filled();
    const { items } = await client.list(jobs, { fieldSelector: "metadata.name=b" });
    expect(items).toEqual([await client.get(jobs, { namespace: "default", name: "b" })]);
  });

  test("an empty list has a revision to watch from", async () => {
    const { client } = await open();
    const empty = await client.list(jobs);
    expect(empty.items).toEqual([]);
    expect(Number(empty.resourceVersion)).toBeGreaterThan(0);
    expect(empty).not.toHaveProperty("continue");
  });

  test.each([
    [{ labelSelector: "a=(" }, "400 BadRequest"],
    [{ fieldSelector: "spec.parallelism=1" }, "400 BadRequest"],
    [{ continue: "nonsense" }, "400 BadRequest"],
  ])("%j is rejected", async (request, expected) => {
    const { client } = await open();
    expect(await refusalCode(client.list(jobs, request))).toBe(expected);
  });
}

function pageContract(open: Open): void {
  const namesOf = (items: readonly { metadata: { name?: string } }[]) =>
    items.map(({ metadata }) => metadata.name);
  const filled = async () => {
    const server = await open();
    for (const name of ["a", "b", "c", "d", "e"]) {
      await server.client.create(configMaps, configMapBody({ name }));
    }
    return server;
  };

  test("continue after the previous page, in the state of the first one", async () => {
    const { client } = await filled();
    const request = { namespace: "default", limit: 2 };
    const first = await client.list(configMaps, request);
    await client.create(configMaps, configMapBody({ name: "bb" }));
    await client.delete(configMaps, { namespace: "default", name: "d" });
    const second = await client.list(configMaps, { ...request, continue: first.continue ?? "" });
    const third = await client.list(configMaps, { ...request, continue: second.continue ?? "" });
    expect([first, second, third].map(({ items }) => namesOf(items))).toEqual([
      ["a", "b"],
      ["c", "d"],
      ["e"],
    ]);
    expect(third.continue).toBeUndefined();
    expect(second.resourceVersion).toBe(first.resourceVersion);
  });

  test("a limit that is not exceeded has no effect", async () => {
    const { client } = await filled();
    const whole = await client.list(configMaps, { namespace: "default", limit: 5 });
    expect(whole.items).toHaveLength(5);
    expect(whole.continue).toBeUndefined();
  });

  test("the next page of a state that is no longer remembered is a 410", async () => {
    const { client, rememberedChanges } = await filled();
    const first = await client.list(configMaps, { namespace: "default", limit: 2 });
    for (let change = 0; change < 2 * rememberedChanges; change++) {
      await client.patch(
        configMaps,
        { namespace: "default", name: "a" },
        { type: "merge", body: { data: { change: String(change) } } },
      );
    }
    const next = { namespace: "default", limit: 2, continue: first.continue ?? "" };
    expect(await refusalCode(client.list(configMaps, next))).toBe("410 Expired");
  });
}
