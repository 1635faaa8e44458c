/** Custom resources, tested through the server. */
import { describe, expect, test } from "vitest";
import {
  aServerWith,
  aWidget,
  type LooseSchema,
  MERGE,
  refusalOf,
  WIDGETS,
} from "../../../test/builders/custom-resources.ts";
import { ask } from "../../../test/support/ask.ts";
import { formatFinding } from "../../api/finding.ts";
import type { Schema } from "./schema.ts";
import { validateContent } from "./validate.ts";

function findingsOf(field: LooseSchema, value: unknown): readonly string[] {
  const spec = { type: "object", properties: { x: field } };
  const schema = { type: "object", properties: { spec } } as Schema;
  return validateContent(aWidget({ x: value }), undefined, schema).map(formatFinding);
}

const body = (problem: string) => `spec.x in body ${problem}`;

const VALUES: readonly [string, LooseSchema, unknown, string][] = [
  [
    "type",
    { type: "integer" },
    "a",
    `Invalid value: "string": ${body('must be of type integer: "string"')}`,
  ],
  ["null", { type: "array", items: { type: "string" } }, [null], ""],
  [
    "number",
    { type: "integer" },
    1.5,
    `Invalid value: "number": ${body('must be of type integer: "number"')}`,
  ],
  [
    "minimum",
    { type: "integer", minimum: 2 },
    1,
    `Invalid value: 1: ${body("should be greater than or equal to 2")}`,
  ],
  [
    "exclusive",
    { type: "integer", maximum: 2, exclusiveMaximum: true },
    2,
    `Invalid value: 2: ${body("should be less than 2")}`,
  ],
  [
    "multiple",
    { type: "integer", multipleOf: 5 },
    7,
    `Invalid value: 7: ${body("should be a multiple of 5")}`,
  ],
  [
    "minLength",
    { type: "string", minLength: 2 },
    "a",
    `Invalid value: "a": ${body("should be at least 2 chars long")}`,
  ],
  ["maxLength", { type: "string", maxLength: 2 }, "abc", "Too long: may not be more than 2 bytes"],
  [
    "pattern",
    { type: "string", pattern: "^a+$" },
    "b",
    `Invalid value: "b": ${body("should match '^a+$'")}`,
  ],
  [
    "format",
    { type: "string", format: "date-time" },
    "x",
    `Invalid value: "x": ${body('must be of type date-time: "x"')}`,
  ],
  [
    "enum",
    { type: "string", enum: ["a", "b"] },
    "c",
    'Unsupported value: "c": supported values: "a", "b"',
  ],
  [
    "minItems",
    { type: "array", items: { type: "string" }, minItems: 1 },
    [],
    `Invalid value: 0: ${body("should have at least 1 items")}`,
  ],
  [
    "maxItems",
    { type: "array", items: { type: "string" }, maxItems: 1 },
    ["a", "b"],
    "Too many: 2: must have at most 1 item",
  ],
  [
    "maxProperties",
    { type: "object", additionalProperties: { type: "string" }, maxProperties: 1 },
    { a: "", b: "" },
    "Too many: 2: must have at most 1 item",
  ],
  [
    "int-or-string",
    { "x-kubernetes-int-or-string": true },
    true,
    `Invalid value: "boolean": ${body('must be of type integer,string: "boolean"')}`,
  ],
];

describe("a value that does not match its schema", () => {
  test.each(VALUES)("%s", async (name, field, value, problem) => {
    const wanted =
      problem === ""
        ? 'spec.x[0]: Invalid value: "null": spec.x[0] in body must be of type string: "null"'
        : `spec.x: ${problem}`;
    expect(findingsOf(field, value), name).toEqual([wanted]);
  });

  test("a field that is missing", async () => {
    const field = { type: "object", required: ["a"], properties: { a: { type: "string" } } };
    expect(findingsOf(field, {})).toEqual(["spec.x.a: Required value"]);
  });

  test("alternatives", async () => {
    const field = {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" } },
      oneOf: [{ required: ["a"] }, { required: ["b"] }],
    };
    expect(findingsOf(field, { a: "" })).toEqual([]);
    expect(findingsOf(field, { a: "", b: "" })).toEqual([
      '<nil>: Invalid value: "": "spec.x" must validate one and only one schema (oneOf). ' +
        "Found 2 valid alternatives",
    ]);
    expect(findingsOf(field, {})).toEqual([
      '<nil>: Invalid value: "": "spec.x" must validate one and only one schema (oneOf). ' +
        "Found none valid",
      "spec.x.a: Required value",
    ]);
  });

  test("duplicate items of a set or of a map", async () => {
    const set = { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } };
    expect(findingsOf(set, ["a", "b", "a"])).toEqual(['spec.x[2]: Duplicate value: "a"']);
    const map = {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
    };
    expect(findingsOf(map, [{ name: "a" }, { name: "a" }])).toEqual([
      'spec.x[1]: Duplicate value: {"name":"a"}',
    ]);
  });

  test("a pattern with catastrophic backtracking is evaluated at once", async () => {
    const found = findingsOf({ type: "string", pattern: "^(a+)+$" }, `${"a".repeat(5000)}!`);
    expect(found).toHaveLength(1);
  });
});

describe("an unknown field", () => {
  const spec = {
    type: "object",
    properties: {
      known: { type: "object", properties: { a: { type: "string" } } },
      free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      pod: {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        properties: { spec: { type: "object", properties: { a: { type: "string" } } } },
      },
      map: { type: "object", additionalProperties: { type: "integer" } },
    },
  };

  test("is pruned with a warning", async () => {
    const server = await aServerWith({ spec });
    const given = {
      known: { a: "", b: 1 },
      free: { any: [{ thing: 1 }] },
      pod: { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { a: "", b: 1 }, x: 1 },
      map: { one: 1 },
      other: {},
    };
    const told = ask(server, "POST", WIDGETS, aWidget(given));
    expect(told.object).toMatchObject({
      spec: {
        known: { a: "" },
        free: given.free,
        pod: { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { a: "" } },
        map: { one: 1 },
      },
    });
    expect(told.warnings).toEqual([
      'unknown field "spec.known.b"',
      'unknown field "spec.other"',
      'unknown field "spec.pod.spec.b"',
      'unknown field "spec.pod.x"',
    ]);
    expect(told.text).not.toContain('"other"');
  });

  test("is rejected by strict validation", async () => {
    const server = await aServerWith({ spec });
    const told = ask(server, "POST", `${WIDGETS}?fieldValidation=Strict`, aWidget({ other: 1 }));
    expect(told.status).toBe(400);
    expect(refusalOf(told)).toEqual([
      'Widget in version "v1" cannot be handled as a Widget: strict decoding error: ' +
        'unknown field "spec.other"',
    ]);
  });
});

describe("defaults", () => {
  const spec = {
    type: "object",
    properties: {
      replicas: { type: "integer", default: 2 },
      nested: { type: "object", default: {}, properties: { a: { type: "string", default: "x" } } },
      maybe: { type: "string", nullable: true, default: "y" },
      list: {
        type: "array",
        items: { type: "object", properties: { b: { type: "integer", default: 7 } } },
      },
    },
  };

  test("are applied to missing fields and to nulls that are not allowed", async () => {
    const server = await aServerWith({ spec });
    const given = { replicas: null, maybe: null, list: [{}, { b: 1 }] };
    expect(ask(server, "POST", WIDGETS, aWidget(given)).object).toMatchObject({
      spec: { replicas: 2, nested: { a: "x" }, maybe: null, list: [{ b: 7 }, { b: 1 }] },
    });
  });

  test("added to the schema later apply to objects stored before", async () => {
    const server = await aServerWith({ spec: { type: "object", properties: {} } });
    ask(server, "POST", WIDGETS, aWidget({}));
    const url = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com";
    const schema = { type: "object", properties: { spec } };
    const versions = [
      { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } },
    ];
    const told = ask(server, "PATCH", url, { spec: { versions } }, MERGE);
    expect(told.status, told.text).toBe(200);
    expect(ask(server, "GET", `${WIDGETS}/w`).object).toMatchObject({ spec: { replicas: 2 } });
  });
});

describe("subresources and generations", () => {
  const version = {
    subresources: {
      status: {},
      scale: {
        specReplicasPath: ".spec.replicas",
        statusReplicasPath: ".status.replicas",
        labelSelectorPath: ".status.selector",
      },
    },
  };

  test("the status is written separately and does not change the generation", async () => {
    const server = await aServerWith({ version });
    const given = aWidget({}, { status: { replicas: 9 } });
    expect(ask(server, "POST", WIDGETS, given).object).not.toHaveProperty("status");
    const change = { metadata: { labels: { a: "b" } }, spec: { replicas: 7 }, status: { a: 1 } };
    const told = ask(server, "PATCH", `${WIDGETS}/w/status`, change, MERGE);
    expect(told.object).toMatchObject({
      metadata: { generation: 1 },
      spec: { replicas: 1 },
      status: { a: 1 },
    });
    expect(told.object.metadata.labels).toBeUndefined();
    const after = ask(server, "PATCH", `${WIDGETS}/w`, change, MERGE);
    expect(after.object).toMatchObject({ metadata: { generation: 2 }, status: { a: 1 } });
  });

  test("without the status subresource, status is an ordinary field", async () => {
    const server = await aServerWith();
    ask(server, "POST", WIDGETS, aWidget());
    const told = ask(server, "PATCH", `${WIDGETS}/w`, { status: { a: 1 } }, MERGE);
    expect(told.object).toMatchObject({ metadata: { generation: 2 }, status: { a: 1 } });
    expect(ask(server, "GET", `${WIDGETS}/w/status`).status).toBe(404);
    const labelled = ask(
      server,
      "PATCH",
      `${WIDGETS}/w`,
      { metadata: { labels: { a: "b" } } },
      MERGE,
    );
    expect(labelled.object.metadata.generation).toBe(2);
  });

  test("the scale subresource uses the paths of the definition", async () => {
    const server = await aServerWith({ version });
    ask(server, "POST", WIDGETS, aWidget());
    ask(
      server,
      "PATCH",
      `${WIDGETS}/w/status`,
      { status: { replicas: 1, selector: "a=b" } },
      MERGE,
    );
    const told = ask(server, "PATCH", `${WIDGETS}/w/scale`, { spec: { replicas: 4 } }, MERGE);
    expect(told.object).toMatchObject({
      kind: "Scale",
      spec: { replicas: 4 },
      status: { replicas: 1, selector: "a=b" },
    });
    expect(ask(server, "GET", `${WIDGETS}/w`).object).toMatchObject({
      metadata: { generation: 2 },
      spec: { replicas: 4 },
    });
  });
});

test("a strategic merge patch is rejected, as in Kubernetes", async () => {
  const server = await aServerWith();
  ask(server, "POST", WIDGETS, aWidget());
  const told = ask(
    server,
    "PATCH",
    `${WIDGETS}/w`,
    {},
    {
      contentType: "application/strategic-merge-patch+json",
    },
  );
  expect(told.status).toBe(415);
});

test("a body of another kind or version is rejected", async () => {
  const server = await aServerWith();
  const kind = ask(server, "POST", WIDGETS, aWidget({}, { kind: "Gadget" }));
  expect(refusalOf(kind)).toEqual(['kind: Invalid value: "Gadget": must be Widget']);
  const version = ask(server, "POST", WIDGETS, aWidget({}, { apiVersion: "example.com/v2" }));
  expect(version.status).toBe(400);
  const nothing = ask(server, "POST", WIDGETS, { metadata: { name: "w" } });
  expect(nothing.status).toBe(400);
});

test("columns show the values at their paths", async () => {
  const additionalPrinterColumns = [
    { name: "Replicas", type: "integer", jsonPath: ".spec.replicas" },
    { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp", priority: 1 },
  ];
  const server = await aServerWith({ version: { additionalPrinterColumns } });
  const conditions = [
    { type: "Other", status: "False" },
    { type: "Ready", status: "True" },
  ];
  ask(server, "POST", WIDGETS, aWidget({}, { status: { conditions } }));
  const table = ask(server, "GET", WIDGETS, undefined, {
    accept: "application/json;as=Table;v=v1;g=meta.k8s.io",
  });
  expect(table.object).toMatchObject({
    columnDefinitions: [{ name: "Name" }, { name: "Replicas" }, { name: "Ready" }, { priority: 1 }],
    rows: [{ cells: ["w", 1, "True", "0s"] }],
  });
});

test("a selectable field of a definition can be used in a field selector", async () => {
  const server = await aServerWith({ version: { selectableFields: [{ jsonPath: ".spec.name" }] } });
  ask(server, "POST", WIDGETS, aWidget({ name: "a" }));
  ask(server, "POST", WIDGETS, { ...aWidget({ name: "b" }), metadata: { name: "v" } });
  const names = (selector: string) => {
    const told = ask(server, "GET", `${WIDGETS}?fieldSelector=${selector}`);
    if (told.status !== 200) return told.status;
    const { items } = told.object as unknown as { items: { metadata: { name: string } }[] };
    return items.map(({ metadata }) => metadata.name);
  };
  expect(names("spec.name%3Da")).toEqual(["w"]);
  expect(names("spec.name!%3Da")).toEqual(["v"]);
  expect(names("spec.replicas%3D1")).toBe(400);
});
