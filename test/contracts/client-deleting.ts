/** The part of the contract about delete. */
import { describe, expect, test } from "vitest";
import type { DeleteRequest } from "../../src/api/client.ts";
import { configMaps, jobs, pods } from "../../src/api/resources.ts";
import { configMapBody, jobBody, podBody } from "../builders/resources.ts";
import type { Open } from "./client-contract.ts";
import { refusal, refusalCode } from "./refusal.ts";

const A = { namespace: "default", name: "a" };
const GONE = "404 NotFound";

export function deletingContract(open: Open): void {
  describe("delete", () => {
    preconditionContract(open);
    policyContract(open);
    graceContract(open);
  });
}

function preconditionContract(open: Open): void {
  test("removes an object immediately if it has no finalizers", async () => {
    const { client } = await open();
    await client.create(configMaps, configMapBody({ name: "a" }));
    await client.delete(configMaps, A);
    expect(await refusalCode(client.get(configMaps, A))).toBe(GONE);
    expect(await refusalCode(client.delete(configMaps, A))).toBe(GONE);
  });

  test("only deletes the object that its preconditions name", async () => {
    const { client } = await open();
    const made = await client.create(configMaps, configMapBody({ name: "a" }));
    const { uid = "", resourceVersion = "" } = made.metadata;
    const wrong = [{ uid: "other" }, { uid, resourceVersion: "1" }];
    for (const preconditions of wrong) {
      const error = await refusal(client.delete(configMaps, A, { preconditions }));
      expect([error.code, error.reason]).toEqual([409, "Conflict"]);
    }
    await client.delete(configMaps, A, { preconditions: { uid, resourceVersion } });
    expect(await refusalCode(client.get(configMaps, A))).toBe(GONE);
  });
}

function policyContract(open: Open): void {
  test.each<[DeleteRequest, string | undefined]>([
    [{ propagationPolicy: "Background" }, undefined],
    [{ propagationPolicy: "Foreground" }, "foregroundDeletion"],
    [{ propagationPolicy: "Orphan" }, "orphan"],
    // By default, deleting a Job orphans its pods.
    [{}, "orphan"],
  ])("of a Job with %j", async (request, finalizer) => {
    const { client } = await open();
    await client.create(jobs, jobBody({ name: "a" }));
    await client.delete(jobs, A, request);
    if (finalizer === undefined) {
      expect(await refusalCode(client.get(jobs, A))).toBe(GONE);
    } else {
      const { metadata } = await client.get(jobs, A);
      expect(metadata).toMatchObject({ finalizers: [finalizer], deletionGracePeriodSeconds: 0 });
      expect(metadata.deletionTimestamp).toBeDefined();
    }
  });

  test("waits for finalizers: the object disappears with the last one", async () => {
    const { client } = await open();
    await client.create(configMaps, configMapBody({ name: "a", finalizers: ["example.com/a"] }));
    await client.delete(configMaps, A);
    const waiting = await client.get(configMaps, A);
    expect(waiting.metadata.deletionTimestamp).toBeDefined();
    const { finalizers: _done, ...metadata } = waiting.metadata;
    await client.update(configMaps, { ...waiting, metadata });
    expect(await refusalCode(client.get(configMaps, A))).toBe(GONE);
  });
}

function graceContract(open: Open): void {
  const node = { nodeName: "n", terminationGracePeriodSeconds: 30 };

  test.each<[string, object, DeleteRequest, number | undefined]>([
    ["on a node, with its own grace period", node, {}, 30],
    ["on a node, with a shorter grace period", node, { gracePeriodSeconds: 5 }, 5],
    ["on a node, immediately", node, { gracePeriodSeconds: 0 }, undefined],
    ["that never got a node", {}, { gracePeriodSeconds: 5 }, undefined],
  ])("of a pod %s", async (_, spec, request, grace) => {
    const { client } = await open();
    await client.create(pods, podBody({ name: "a" }, { ...spec }));
    await client.delete(pods, A, request);
    if (grace === undefined) expect(await refusalCode(client.get(pods, A))).toBe(GONE);
    else {
      const { metadata } = await client.get(pods, A);
      expect(metadata.deletionGracePeriodSeconds).toBe(grace);
    }
  });

  test("of a pod again can only shorten its grace period", async () => {
    const { client } = await open();
    await client.create(pods, podBody({ name: "a" }, node));
    const graceAfter = async (gracePeriodSeconds: number) => {
      await client.delete(pods, A, { gracePeriodSeconds });
      return (await client.get(pods, A)).metadata.deletionGracePeriodSeconds;
    };
    expect([await graceAfter(20), await graceAfter(60), await graceAfter(10)]).toEqual([
      20, 20, 10,
    ]);
    await client.delete(pods, A, { gracePeriodSeconds: 0 });
    expect(await refusalCode(client.get(pods, A))).toBe(GONE);
  });
}
