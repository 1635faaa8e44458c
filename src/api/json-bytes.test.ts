import { expect, test } from "vitest";
import { encodeJson, JSON_CACHE_BYTES } from "./json-bytes.ts";

test("the bytes are the object as compact UTF-8 JSON", () => {
  const object = { kind: "Job", metadata: { name: "größe", labels: {} }, list: [1, null, true] };
  expect(encodeJson(object).toString("utf8")).toBe(JSON.stringify(object));
});

test("the same object is encoded once", () => {
  const object = { kind: "Job" };
  const bytes = encodeJson(object);
  expect(encodeJson(object) === bytes).toBe(true);
});

test("an object in use stays in the cache while others pass through", () => {
  const inUse = { name: "in use" };
  const bytes = encodeJson(inUse);
  const filler = "x".repeat(1024 * 1024);
  const rounds = (4 * JSON_CACHE_BYTES) / filler.length;
  for (let round = 0; round < rounds; round++) {
    encodeJson({ filler });
    expect(encodeJson(inUse) === bytes).toBe(true);
  }
});

test("an unused object is dropped after the budget has passed through", () => {
  const idle = { name: "idle" };
  const bytes = encodeJson(idle);
  const filler = "x".repeat(1024 * 1024);
  for (let round = 0; round <= JSON_CACHE_BYTES / filler.length; round++) encodeJson({ filler });
  expect(encodeJson(idle) === bytes).toBe(false);
});

test("an object larger than the budget is encoded and not kept", () => {
  const huge = { data: "x".repeat(JSON_CACHE_BYTES) };
  const bytes = encodeJson(huge);
  expect(encodeJson(huge) === bytes).toBe(false);
  expect(bytes.length).toBeGreaterThan(JSON_CACHE_BYTES);
});

test("a Job with many completed indexes is written as any other object", () => {
  const completedIndexes = Array.from({ length: 10_000 }, (_, at) => at * 2).join(",");
  const annotations = { completedIndexes: "", ä: '"completedIndexes":""' };
  const status = { active: 1, completedIndexes, conditions: [{ message: "ünfinished" }] };
  const job = { kind: "Job", metadata: { annotations }, spec: {}, status };
  expect(encodeJson(job).toString()).toBe(JSON.stringify(job));
  const odd = { status: { completedIndexes: `${completedIndexes}"` } };
  expect(encodeJson(odd).toString()).toBe(JSON.stringify(odd));
});

test("a Workflow of many steps is written as any other object, its steps once", () => {
  const jobs = Array.from({ length: 200 }, (_, at) => ({ name: `s${at}`, dependsOn: ["ä"] }));
  const spec = { jobs, suspend: undefined };
  const states = [{}, { steps: [{ name: "s0" }] }].map((status) => ({
    kind: "Workflow",
    metadata: { name: "ü" },
    gone: undefined,
    spec,
    status,
  }));
  for (const state of states) expect(encodeJson(state).toString()).toBe(JSON.stringify(state));
});
