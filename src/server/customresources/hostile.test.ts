/** Malicious definitions and objects. */
import { expect, test } from "vitest";
import {
  aDefinition,
  aServerWith,
  aWidget,
  DEFINITIONS,
  WIDGETS,
} from "../../../test/builders/custom-resources.ts";
import { aServer } from "../../../test/builders/server.ts";
import { ask } from "../../../test/support/ask.ts";

const FREE = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** As text, because a recursive function could not write something this deep. */
const nested = (depth: number, open: string, close: string, inner: string) =>
  open.repeat(depth) + inner + close.repeat(depth);

test.each([100, 1_000, 5_000, 9_000])(
  "an object %d levels deep is accepted or rejected, without a crash",
  async (depth) => {
    const server = await aServerWith({ spec: FREE });
    const deep = nested(depth, '{"a":', "}", "1");
    const text = JSON.stringify(aWidget({ x: "DEEP" })).replace('"DEEP"', deep);
    const { status } = ask(server, "POST", WIDGETS, text);
    expect([201, 400, 422]).toContain(status);
  },
);

test.each([100, 1_000, 5_000])(
  "a schema %d levels deep is accepted or rejected, without a crash",
  (depth) => {
    const server = aServer();
    const deep = nested(depth, '{"type":"object","properties":{"a":', "}}", '{"type":"string"}');
    const text = JSON.stringify(aDefinition({ schema: { x: "DEEP" } }));
    const { status } = ask(server, "POST", DEFINITIONS, text.replace('{"x":"DEEP"}', deep));
    expect([201, 400, 422]).toContain(status);
  },
);

test("nested alternatives are visited once each", () => {
  const server = aServer();
  let schema: object = { minLength: 1 };
  for (let depth = 0; depth < 40; depth++) schema = { anyOf: [{ items: schema }] };
  const spec = { type: "object", properties: { a: { type: "array", items: { type: "string" } } } };
  const told = ask(server, "POST", DEFINITIONS, aDefinition({ spec: { ...spec, ...schema } }));
  expect(told.status).toBe(422);
});

test.each([
  { items: 5 },
  { items: { type: "string", "x-kubernetes-validations": [{ rule: 5 }] } },
  { additionalProperties: "x" },
  { properties: { __proto__: { type: "string" } } },
  { required: "a" },
  { enum: {} },
])("an invalid schema gets an answer: %j", (broken) => {
  const server = aServer();
  const told = ask(
    server,
    "POST",
    DEFINITIONS,
    aDefinition({ spec: { type: "array", ...broken } }),
  );
  expect([201, 400, 422]).toContain(told.status);
});

test("a field named __proto__ is treated like any other", async () => {
  const server = await aServerWith({ spec: FREE });
  const text = '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},';
  const told = ask(server, "POST", WIDGETS, `${text}"spec":{"__proto__":{"a":1}}}`);
  expect(told.status).toBe(201);
  expect(told.text).toContain('"__proto__":{"a":1}');
});
