import fc from "fast-check";
import { expect, test } from "vitest";
import { compactJson, formatJson } from "./json-format.ts";

test("keys are sorted, empty collections short, and HTML is safe", () => {
  const value = { b: [1, { c: null }], a: {}, "10": [], "9": "<&>\u2028", gone: undefined };
  expect(compactJson(value)).toBe(
    '{"10":[],"9":"\\u003c\\u0026\\u003e\\u2028","a":{},"b":[1,{"c":null}]}',
  );
  expect(formatJson({ a: [1], b: {} })).toBe('{\n    "a": [\n        1\n    ],\n    "b": {}\n}\n');
});

test("any JSON value survives formatting", () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const plain = JSON.parse(JSON.stringify(value));
      expect(JSON.parse(formatJson(value))).toEqual(plain);
      expect(JSON.parse(compactJson(value))).toEqual(plain);
    }),
  );
});
