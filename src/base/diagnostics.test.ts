import { expect, test } from "vitest";
import { Diagnostics } from "./diagnostics.ts";

test("sources are read in order of name, and those without entries are omitted", () => {
  const diagnostics = new Diagnostics();
  diagnostics.add("queue b", () => [{ key: "one" }, { key: "two" }]);
  diagnostics.add("queue a", () => [{ key: "three" }]);
  diagnostics.add("queue c", () => []);
  expect(diagnostics.read()).toEqual([
    { name: "queue a", total: 1, entries: [{ key: "three" }] },
    { name: "queue b", total: 2, entries: [{ key: "one" }, { key: "two" }] },
  ]);
});

test("a long section is truncated but reports its total", () => {
  const diagnostics = new Diagnostics();
  diagnostics.add("queue", () => Array.from({ length: 1000 }, (_, key) => ({ key })));
  const [section] = diagnostics.read();
  expect(section?.total).toBe(1000);
  expect(section?.entries).toHaveLength(200);
});

test("a source that throws does not hide the others", () => {
  const diagnostics = new Diagnostics();
  const failure = new Error("broken");
  diagnostics.add("a", () => {
    throw failure;
  });
  diagnostics.add("b", () => [{ key: "one" }]);
  expect(diagnostics.read()).toEqual([
    { name: "a", total: 1, entries: [{ error: failure }] },
    { name: "b", total: 1, entries: [{ key: "one" }] },
  ]);
});

test("removing a source does not remove a newer one with the same name", () => {
  const diagnostics = new Diagnostics();
  const removeFirst = diagnostics.add("queue", () => [{ key: "first" }]);
  const removeSecond = diagnostics.add("queue", () => [{ key: "second" }]);
  removeFirst();
  expect(diagnostics.read()).toMatchObject([{ entries: [{ key: "second" }] }]);
  removeSecond();
  expect(diagnostics.read()).toEqual([]);
});
