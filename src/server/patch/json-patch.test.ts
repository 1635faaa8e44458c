import fc from "fast-check";
import { expect, test } from "vitest";
import { ApiError } from "../../api/errors.ts";
import type { Json } from "../../api/object.ts";
import type { JsonObject } from "./go-value.ts";
import { applyOperations, type Operation } from "./json-patch.ts";

const DOCUMENT: JsonObject = { data: { a: "1", b: "2" }, list: ["x", "y"], none: null };

test.each<[Operation[], JsonObject]>([
  [[], {}],
  [[{ op: "test", path: "/data/a", value: "1" }], {}],
  [[{ op: "test", path: "/data/zzz", value: null }], {}],
  [[{ op: "test", path: "/none" }], {}],
  [[{ op: "test", path: "", value: DOCUMENT }], {}],
  [[{ op: "add", path: "/data/c", value: "3" }], { data: { a: "1", b: "2", c: "3" } }],
  [[{ op: "add", path: "/data/a~1b~0c", value: "3" }], { data: { a: "1", b: "2", "a/b~c": "3" } }],
  [[{ op: "add", path: "/list/-", value: "z" }], { list: ["x", "y", "z"] }],
  [[{ op: "add", path: "/list/0", value: "z" }], { list: ["z", "x", "y"] }],
  [[{ op: "add", path: "/list/2", value: "z" }], { list: ["x", "y", "z"] }],
  [[{ op: "add", path: "/list/-1", value: "z" }], { list: ["x", "y", "z"] }],
  [[{ op: "add", path: "ignored/data", value: 1 }], { data: 1 }],
  [[{ op: "replace", path: "/data/zzz", value: "3" }], { data: { a: "1", b: "2", zzz: "3" } }],
  [[{ op: "replace", path: "/list/-1", value: "z" }], { list: ["x", "z"] }],
  [[{ op: "remove", path: "/list/0" }], { list: ["y"] }],
  [[{ op: "move", from: "/data/a", path: "/data/c" }], { data: { b: "2", c: "1" } }],
  [[{ op: "copy", from: "/data/a", path: "/list/1" }], { list: ["x", "1", "y"] }],
  [[{ op: "copy", from: "/data/zzz", path: "/data/a" }], { data: { a: null, b: "2" } }],
])("the operations %j apply", (operations, changed) => {
  expect(applyOperations(DOCUMENT, operations)).toEqual({ ...DOCUMENT, ...changed });
});

test("replace with an empty path replaces the document", () => {
  const operations = [{ op: "replace", path: "", value: { z: 1 } }];
  expect(applyOperations(DOCUMENT, operations)).toEqual({ z: 1 });
});

test.each<[Operation]>([
  [{ op: "test", path: "/data/a", value: "2" }],
  [{ op: "test", path: "/data/zzz", value: "x" }],
  [{ op: "test", path: "/data/a" }],
  [{ op: "remove", path: "/data/zzz" }],
  [{ op: "remove", path: "/list/2" }],
  [{ op: "remove", path: "" }],
  [{ op: "merge", path: "/data/a", value: "x" }],
  [{ op: "constructor", path: "/data/a" }],
  [{ path: "/data/a" }],
  [{ op: "add", value: "x" }],
  [{ op: "add", path: "", value: {} }],
  [{ op: "add", path: "/list/3", value: "x" }],
  [{ op: "add", path: "/list/x", value: "x" }],
  [{ op: "add", path: "/data/a/b", value: "x" }],
  [{ op: "add", path: "/none/b", value: "x" }],
  [{ op: "add", path: "/toString/b", value: "x" }],
  [{ op: "replace", path: "/list/5/image", value: "x" }],
  [{ op: "replace", path: "/list/-", value: "x" }],
  [{ op: "replace", path: "", value: "x" }],
  [{ op: "move", from: "/data/zzz", path: "/data/c" }],
  [{ op: "copy", path: "/data/c" }],
])("the operation %j does not apply", (operation) => {
  expect(() => applyOperations(DOCUMENT, [operation])).toThrow(ApiError);
});

test("an operation that does not apply is answered with a 422 without a reason", () => {
  try {
    applyOperations(DOCUMENT, [{ op: "remove", path: "/zzz" }]);
    expect.unreachable();
  } catch (error) {
    expect(error).toMatchObject({
      status: {
        message: "the server rejected our request due to an error in our request",
        reason: "Invalid",
        details: {},
        code: 422,
      },
    });
  }
});

test("copies may add at most 3 MiB", () => {
  const document = { big: "x".repeat(1024 * 1024 - 2) };
  const copies = (count: number): Operation[] =>
    Array.from({ length: count }, () => ({ op: "copy", from: "/big", path: "/copy" }));
  expect(() => applyOperations(document, copies(3))).not.toThrow();
  expect(() => applyOperations(document, copies(4))).toThrow(ApiError);
});

test("values are copied: changing the copy affects neither the patch nor the source", () => {
  const value = { n: 1 };
  const operations = [
    { op: "add", path: "/one", value },
    { op: "copy", from: "/one", path: "/two" },
    { op: "replace", path: "/two/n", value: 2 },
    { op: "replace", path: "/one/n", value: 3 },
  ];
  expect(applyOperations({}, operations)).toEqual({ one: { n: 3 }, two: { n: 2 } });
  expect(value).toEqual({ n: 1 });
});

test("a key called __proto__ is a key like any other", () => {
  const patched = applyOperations({}, [{ op: "add", path: "/__proto__", value: { n: 1 } }]);
  expect(Object.keys(patched as JsonObject)).toEqual(["__proto__"]);
  expect(({} as JsonObject)["n"]).toBeUndefined();
});

const key = fc.constantFrom("a", "b", "c/d", "e~f");
const value: fc.Arbitrary<Json> = fc.oneof(fc.string(), fc.integer(), fc.array(fc.integer()));
const object = fc.dictionary(key, value);
const pointer = (name: string): string => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

test("an added value can be found, and removing it restores the document", () => {
  fc.assert(
    fc.property(object, key, value, (document, name, added) => {
      fc.pre(!Object.hasOwn(document, name));
      const path = pointer(name);
      const add = { op: "add", path, value: added };
      const test = { op: "test", path, value: added };
      expect(applyOperations(document, [add, test])).toEqual({ ...document, [name]: added });
      expect(applyOperations(document, [add, { op: "remove", path }])).toEqual(document);
    }),
  );
});

test("moving a value there and back changes nothing", () => {
  fc.assert(
    fc.property(object, key, (document, name) => {
      fc.pre(Object.hasOwn(document, name));
      const path = pointer(name);
      const there = { op: "move", from: path, path: "/elsewhere" };
      const back = { op: "move", from: "/elsewhere", path };
      expect(applyOperations(document, [there, back])).toEqual(document);
    }),
  );
});
