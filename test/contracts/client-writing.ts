/** The part of the contract about create, update, finalize and patch. */
import { describe, expect, test } from "vitest";
import type { PatchRequest } from "../../src/api/client.ts";
import type { Job } from "../../src/api/generated/batch.ts";
import { draftOf } from "../../src/api/object.ts";
import { configMaps, jobs, namespaces } from "../../src/api/resources.ts";
import { configMapBody, jobBody, statefulSetBody, statefulSets } from "../builders/resources.ts";
import type { Open } from "./client-contract.ts";
import { refusal, refusalCode } from "./refusal.ts";

export function writingContract(open: Open): void {
  describe("create", () => createContract(open));
  describe("update", () => updateContract(open));
  describe("updateStatus", () => statusContract(open));
  describe("finalize", () => finalizeContract(open));
  describe("patch", () => patchContract(open));
}

const A = { namespace: "default", name: "a" };

function createContract(open: Open): void {
  test("returns the object as stored, including defaults", async () => {
    const { client } = await open();
    const made = await client.create(jobs, jobBody({ name: "a" }));
    expect(made).toMatchObject({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "a", namespace: "default", generation: 1 },
      spec: { parallelism: 1, completions: 1, backoffLimit: 6, completionMode: "NonIndexed" },
      status: {},
    });
    expect(made.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(made.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });

  test("does not modify its argument", async () => {
    const { client } = await open();
    const given = jobBody({ name: "a" });
    const before = draftOf(given);
    await client.create(jobs, given);
    expect(given).toEqual(before);
  });

  test("completes a generated name, differently each time", async () => {
    const { client } = await open();
    const body = configMapBody({ generateName: "a-" });
    const made = [await client.create(configMaps, body), await client.create(configMaps, body)];
    const names = made.map(({ metadata }) => metadata.name);
    for (const name of names) expect(name).toMatch(/^a-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(new Set(names).size).toBe(2);
  });

  test.each([
    ["a name that is taken", configMapBody({ name: "taken" }), "409 AlreadyExists"],
    ["no name", configMapBody({}), "422 Invalid"],
    ["no such namespace", configMapBody({ name: "a", namespace: "no" }), "404 NotFound"],
    ["a revision", configMapBody({ name: "a", resourceVersion: "5" }), "400 BadRequest"],
  ])("with %s is rejected", async (_, body, expected) => {
    const { client } = await open();
    await client.create(configMaps, configMapBody({ name: "taken" }));
    expect(await refusalCode(client.create(configMaps, body))).toBe(expected);
  });

  test("reports every invalid field", async () => {
    const { client } = await open();
    const wrong = jobBody({ name: "a" }, { parallelism: -1, completions: -2 });
    const { status } = await refusal(client.create(jobs, wrong));
    expect(status).toMatchObject({ code: 422, reason: "Invalid" });
    expect(status.details?.causes?.map(({ field }) => field)).toEqual([
      "spec.parallelism",
      "spec.completions",
    ]);
  });

  test("with a value of a wrong type is a bad request", async () => {
    const { client } = await open();
    const wrong = jobBody({ name: "a" }, { parallelism: "many" });
    const { code, message } = await refusal(client.create(jobs, wrong));
    expect(code).toBe(400);
    expect(message).toMatch(/^Job in version "v1" cannot be handled as a Job: /);
  });
}

function updateContract(open: Open): void {
  test("replaces the object and increments its generation", async () => {
    const { client } = await open();
    const old = await client.create(jobs, jobBody({ name: "a" }));
    const next = { ...old, spec: { ...old.spec, parallelism: 3 } };
    const updated = await client.update(jobs, next);
    expect(updated).toMatchObject({ metadata: { generation: 2 }, spec: { parallelism: 3 } });
    expect(updated.metadata.uid).toBe(old.metadata.uid);
    expect(await client.get(jobs, A)).toEqual(updated);
  });

  test("from an old revision is a conflict", async () => {
    const { client } = await open();
    const old = await client.create(configMaps, configMapBody({ name: "a" }));
    await client.update(configMaps, { ...old, data: { first: "yes" } });
    const error = await refusal(client.update(configMaps, { ...old, data: { second: "yes" } }));
    expect([error.code, error.reason]).toEqual([409, "Conflict"]);
    expect((await client.get(configMaps, A)).data).toEqual({ first: "yes" });
  });

  test("without a revision replaces any state", async () => {
    const { client } = await open();
    await client.create(configMaps, configMapBody({ name: "a" }));
    const updated = await client.update(configMaps, configMapBody({ name: "a" }, { k: "v" }));
    expect(updated.data).toEqual({ k: "v" });
  });

  test("without a change does not create a new revision", async () => {
    const { client } = await open();
    const made = await client.create(jobs, jobBody({ name: "a" }));
    // A new Job is stored without some labels that it shows: the first update writes them.
    const old = await client.update(jobs, made);
    expect(await client.update(jobs, old)).toEqual(old);
  });

  test("cannot change the status", async () => {
    const { client } = await open();
    const old = await client.create(jobs, jobBody({ name: "a" }));
    const updated = await client.update(jobs, { ...old, status: { active: 5 } });
    expect(updated.status).toEqual({});
  });

  test.each([
    ["a missing object", configMapBody({ name: "gone" }), "404 NotFound"],
    ["another object of the same name", configMapBody({ name: "a", uid: "other" }), "409 Conflict"],
    ["an object without a name", configMapBody({}), "400 BadRequest"],
  ])("of %s is rejected", async (_, body, expected) => {
    const { client } = await open();
    await client.create(configMaps, configMapBody({ name: "a" }));
    expect(await refusalCode(client.update(configMaps, body))).toBe(expected);
  });
}

function statusContract(open: Open): void {
  test("changes only the status", async () => {
    const { client } = await open();
    const old = await client.create(jobs, jobBody({ name: "a" }));
    const next: Job = { ...old, spec: { ...old.spec, parallelism: 9 }, status: { active: 1 } };
    const updated = await client.updateStatus(jobs, next);
    expect(updated.status).toEqual({ active: 1 });
    expect(updated.spec).toEqual(old.spec);
    expect(updated.metadata.generation).toBe(1);
  });

  test("from an old revision is a conflict", async () => {
    const { client } = await open();
    const old = await client.create(jobs, jobBody({ name: "a" }));
    await client.updateStatus(jobs, { ...old, status: { active: 1 } });
    const late = client.updateStatus(jobs, { ...old, status: { active: 2 } });
    expect(await refusalCode(late)).toBe("409 Conflict");
  });

  test("of a kind without status is a 404", async () => {
    const { client } = await open();
    const made = await client.create(configMaps, configMapBody({ name: "a" }));
    expect(await refusalCode(client.updateStatus(configMaps, made))).toBe("404 NotFound");
  });
}

function finalizeContract(open: Open): void {
  const X = { name: "x" };
  const body = { apiVersion: "v1", kind: "Namespace", metadata: X, spec: {}, status: {} };

  test("changes the finalizers of a namespace, which an update cannot", async () => {
    const { client } = await open();
    const made = await client.create(namespaces, body);
    const next = { ...made, spec: { finalizers: ["example.com/a"] } };
    const { metadata, spec } = await client.update(namespaces, next);
    expect(spec.finalizers).toEqual(["kubernetes"]);
    const finalized = await client.finalize(namespaces, { ...next, metadata });
    expect(finalized.spec.finalizers).toEqual(["example.com/a"]);
  });

  test("removes a deleted namespace", async () => {
    const { client } = await open();
    await client.create(namespaces, body);
    await client.delete(namespaces, X);
    const going = await client.get(namespaces, X);
    await client.finalize(namespaces, { ...going, spec: {} });
    expect(await refusalCode(client.get(namespaces, X))).toBe("404 NotFound");
  });

  test("from an old revision is a conflict", async () => {
    const { client } = await open();
    const old = await client.create(namespaces, body);
    await client.delete(namespaces, X);
    expect(await refusalCode(client.finalize(namespaces, old))).toBe("409 Conflict");
  });

  test("of a kind other than Namespace is a 404", async () => {
    const { client } = await open();
    const made = await client.create(configMaps, configMapBody({ name: "a" }));
    expect(await refusalCode(client.finalize(configMaps, made))).toBe("404 NotFound");
  });
}

function patchContract(open: Open): void {
  const deleting = { "$deleteFromPrimitiveList/finalizers": ["example.com/a"] };
  test.each<[PatchRequest, object]>([
    [
      { type: "json", body: [{ op: "replace", path: "/spec/parallelism", value: 3 }] },
      { spec: { parallelism: 3 } },
    ],
    [
      { type: "merge", body: { metadata: { labels: { on: "yes", old: null } } } },
      { metadata: { labels: { on: "yes" } } },
    ],
    [
      { type: "strategic", body: { metadata: { finalizers: ["example.com/b"] } } },
      { metadata: { finalizers: ["example.com/b", "example.com/a", "example.com/z"] } },
    ],
    [
      { type: "strategic", body: { metadata: { ...deleting, labels: { on: "yes" } } } },
      { metadata: { labels: { on: "yes", old: "yes" }, finalizers: ["example.com/z"] } },
    ],
    [
      { type: "merge", subresource: "status", body: { status: { active: 1 } } },
      { status: { active: 1 } },
    ],
  ])("%j", async (request, expected) => {
    const { client } = await open();
    const finalizers = ["example.com/a", "example.com/z"];
    const metadata = { name: "a", labels: { old: "yes" }, finalizers };
    await client.create(jobs, jobBody(metadata, { suspend: true }));
    const patched = await client.patch(jobs, A, request);
    expect(patched).toMatchObject(expected);
    expect(await client.get(jobs, A)).toEqual(patched);
  });

  test("of the status changes nothing else", async () => {
    const { client } = await open();
    await client.create(jobs, jobBody({ name: "a" }));
    const body = { spec: { parallelism: 7 }, status: { active: 1 } };
    const patched = await client.patch(jobs, A, { type: "merge", subresource: "status", body });
    expect(patched).toMatchObject({ spec: { parallelism: 1 }, status: { active: 1 } });
  });

  test("of the scale returns the scale", async () => {
    const { client } = await open();
    await client.create(statefulSets, statefulSetBody({ name: "a" }));
    const scale = await client.patch(statefulSets, A, {
      type: "merge",
      subresource: "scale",
      body: { spec: { replicas: 4 } },
    });
    expect(scale).toMatchObject({ kind: "Scale", spec: { replicas: 4 } });
    expect((await client.get(statefulSets, A)).spec.replicas).toBe(4);
  });

  test.each<[string, PatchRequest, string]>([
    [
      "an old revision",
      { type: "merge", body: { metadata: { resourceVersion: "1" } } },
      "409 Conflict",
    ],
    [
      "a test that fails",
      { type: "json", body: [{ op: "test", path: "/kind", value: "Pod" }] },
      "422 Invalid",
    ],
    ["a wrong type", { type: "merge", body: { spec: { parallelism: "x" } } }, "422 Invalid"],
    ["a wrong value", { type: "merge", body: { spec: { parallelism: -1 } } }, "422 Invalid"],
    [
      "a scale that the kind lacks",
      { type: "merge", subresource: "scale", body: {} },
      "404 NotFound",
    ],
  ])("with %s is rejected and changes nothing", async (_, request, expected) => {
    const { client } = await open();
    const made = await client.create(jobs, jobBody({ name: "a" }));
    expect(await refusalCode(client.patch(jobs, A, request))).toBe(expected);
    expect(await client.get(jobs, A)).toEqual(made);
  });

  test("of a missing object is a 404", async () => {
    const { client } = await open();
    const patch = client.patch(jobs, A, { type: "merge", body: {} });
    expect(await refusalCode(patch)).toBe("404 NotFound");
  });
}
