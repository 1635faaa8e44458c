import { expect, test } from "vitest";
import { defineKind, type Kind } from "../../kinds/kind.ts";
import { registry } from "../../kinds/registry.ts";
import { openapiV2 } from "./openapi-v2.ts";
import type { Schema } from "./schemas.ts";

interface Document {
  readonly swagger: string;
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } };
  readonly definitions: { readonly [name: string]: Schema };
}

interface Operation {
  readonly parameters?: readonly Schema[];
  readonly consumes?: readonly string[];
  readonly responses: { readonly [code: string]: { readonly schema?: Schema } };
}

function documentOf(kinds: readonly Kind[]): Document {
  return JSON.parse(openapiV2(kinds).text);
}

const builtIn = documentOf(registry.kinds);

function aCustomKind(schema: Schema): Kind {
  const listKind = "WidgetList";
  return defineKind({
    group: "example.com",
    version: "v1",
    kind: "Widget",
    resource: "widgets",
    singular: "widget",
    namespaced: true,
    message: "",
    rules: { validate: () => [], validateUpdate: () => [] },
    columns: [],
    cells: () => [],
    custom: { schema, listKind } as unknown as NonNullable<Kind["custom"]>,
  });
}

function widget(schema: Schema): Schema | undefined {
  return documentOf([aCustomKind(schema)]).definitions["com.example.v1.Widget"];
}

test("every reference leads to a definition", () => {
  const text = JSON.stringify(builtIn);
  expect(text).not.toContain("#/components");
  const names = [...text.matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g)].map(([, name]) => name);
  for (const name of names) expect(builtIn.definitions).toHaveProperty([name ?? ""]);
});

test("a field is a reference with a description, without a default", () => {
  const job = builtIn.definitions["io.k8s.api.batch.v1.Job"];
  expect(job?.properties?.["spec"]).toEqual({
    description: expect.any(String),
    $ref: "#/definitions/io.k8s.api.batch.v1.JobSpec",
  });
  expect(JSON.stringify(builtIn.definitions)).not.toContain('"default":{}');
});

test("a definition names its kind, and list fields their merge strategy", () => {
  expect(builtIn.definitions["io.k8s.api.batch.v1.Job"]).toMatchObject({
    "x-kubernetes-group-version-kind": [{ group: "batch", kind: "Job", version: "v1" }],
  });
  expect(
    builtIn.definitions["io.k8s.api.core.v1.PodSpec"]?.properties?.["containers"],
  ).toMatchObject({
    "x-kubernetes-patch-merge-key": "name",
    "x-kubernetes-patch-strategy": "merge",
  });
});

test.each([
  ["io.k8s.apimachinery.pkg.util.intstr.IntOrString", { type: "string", format: "int-or-string" }],
  ["io.k8s.apimachinery.pkg.api.resource.Quantity", { type: "string" }],
])("%s is a string, because version 2 has no alternatives", (name, shown) => {
  const { description: _description, ...schema } = builtIn.definitions[name] ?? {};
  expect(schema).toEqual(shown);
});

test("a request body is a parameter named body", () => {
  const path = "/apis/batch/v1/namespaces/{namespace}/jobs/{name}";
  const { put, patch, delete: remove } = builtIn.paths[path] ?? {};
  expect(put?.parameters).toContainEqual({
    name: "body",
    in: "body",
    required: true,
    schema: { $ref: "#/definitions/io.k8s.api.batch.v1.Job" },
  });
  expect(patch?.consumes).toContain("application/strategic-merge-patch+json");
  expect(remove?.parameters?.[0]).not.toHaveProperty("required");
  expect(put?.responses["200"]?.schema).toEqual({
    $ref: "#/definitions/io.k8s.api.batch.v1.Job",
  });
});

test("an open part has no fields, and a nullable part has no type", () => {
  const properties = {
    open: { type: "object", [PRESERVES]: true, properties: { x: { type: "string" } } },
    maybe: { type: "object", nullable: true, properties: { x: { type: "string" } } },
    either: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }] },
    bare: { type: "array", [PRESERVES]: true },
    size: { type: "integer", default: 1, minimum: 0 },
  };
  const spec = { type: "object", required: ["maybe", "size"], properties };
  expect(widget({ type: "object", properties: { spec } })?.properties?.["spec"]).toEqual({
    type: "object",
    required: ["size"],
    properties: {
      open: { [PRESERVES]: true },
      maybe: {},
      either: { "x-kubernetes-int-or-string": true },
      bare: { [PRESERVES]: true },
      size: { type: "integer", minimum: 0 },
    },
  });
});

const PRESERVES = "x-kubernetes-preserve-unknown-fields";

test("an embedded object has the fields of every object", () => {
  const part = { type: "object", "x-kubernetes-embedded-resource": true };
  expect(widget({ type: "object", properties: { part } })?.properties?.["part"]).toMatchObject({
    required: ["kind", "apiVersion"],
    properties: { metadata: { $ref: expect.stringContaining("ObjectMeta") } },
  });
});

test("a kind that preserves unknown fields is described only as an object", () => {
  expect(widget({ type: "object", [PRESERVES]: true, properties: {} })).toEqual({
    type: "object",
    "x-kubernetes-group-version-kind": [{ group: "example.com", kind: "Widget", version: "v1" }],
  });
});

test("the document is composed once for the same kinds, and again for others", () => {
  const first = openapiV2(registry.kinds);
  expect(openapiV2([...registry.kinds])).toBe(first);
  const more = openapiV2([...registry.kinds, aCustomKind({ type: "object" })]);
  expect(more.hash).not.toBe(first.hash);
  expect(more.protobuf()).toBe(more.protobuf());
});

test("the protobuf message has the same contents as the text", () => {
  const kind = aCustomKind({
    type: "object",
    properties: { size: { type: "integer", maximum: 1.5, maxLength: 300, enum: [1, "a"] } },
  });
  const bytes = Buffer.from(openapiV2([kind]).protobuf()).toString("latin1");
  expect(bytes.startsWith("\n\x032.0\x12\x0b\n\x05Tally\x12\x02v1")).toBe(true);
  // In a Schema: 7 maximum, 11 maxLength, 20 enum with values as text, 22 type.
  const maximum = Buffer.from(new Float64Array([1.5]).buffer).toString("latin1");
  const type = "\xb2\x01\x09\n\x07integer";
  for (const part of [`\x39${maximum}`, "\x58\xac\x02", "\xa2\x01\x04\x12\x021\n", type]) {
    expect(bytes).toContain(part);
  }
});
