/** Rules in a schema, tested through the server. */
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

function ruled(rule: object, more: LooseSchema = {}): LooseSchema {
  return {
    type: "object",
    properties: {
      replicas: { type: "integer" },
      "max-size": { type: "integer" },
      name: { type: "string" },
      since: { type: "string", format: "date-time" },
      any: { "x-kubernetes-int-or-string": true },
    },
    "x-kubernetes-validations": [rule],
    ...more,
  };
}

function judged(rule: object, spec: object): readonly string[] {
  const schema = { type: "object", properties: { spec: ruled(rule) } } as Schema;
  return validateContent(aWidget(spec), undefined, schema).map(formatFinding);
}

describe("an object that violates a rule is rejected", () => {
  test.each<[string, object, object, readonly string[]]>([
    [
      "with the text of the rule",
      { rule: "self.replicas > 1" },
      { replicas: 1 },
      ['spec: Invalid value: "object": failed rule: self.replicas > 1'],
    ],
    ["unless the rule holds", { rule: "self.replicas > 1" }, { replicas: 2 }, []],
    [
      "with its message",
      { rule: "false", message: "never" },
      {},
      ['spec: Invalid value: "object": never'],
    ],
    [
      "with the result of messageExpression",
      { rule: "false", messageExpression: "'got %d'.format([self.replicas])" },
      { replicas: 3 },
      ['spec: Invalid value: "object": got 3'],
    ],
    [
      "with the message if messageExpression fails",
      { rule: "false", message: "plain", messageExpression: "string(self.replicas)" },
      {},
      ['spec: Invalid value: "object": plain'],
    ],
    [
      "for its reason, at its field",
      {
        rule: "has(self.name)",
        reason: "FieldValueRequired",
        fieldPath: ".name",
        message: "say so",
      },
      {},
      ["spec.name: Required value: say so"],
    ],
    [
      "when the evaluation fails",
      { rule: "self.replicas > 1" },
      {},
      ['spec: Invalid value: "object": no such key: replicas evaluating rule: self.replicas > 1'],
    ],
    [
      "with an escaped field name",
      { rule: "self.max__dash__size < 3" },
      { "max-size": 5 },
      ['spec: Invalid value: "object": failed rule: self.max__dash__size < 3'],
    ],
    [
      "with a timestamp",
      { rule: "self.since < timestamp('2020-01-01T00:00:00Z')", message: "late" },
      { since: "2021-01-01T00:00:00Z" },
      ['spec: Invalid value: "object": late'],
    ],
    [
      "with an int-or-string",
      { rule: "type(self.any) == string ? self.any == '50%' : self.any == 5", message: "odd" },
      { any: 6 },
      ['spec: Invalid value: "object": odd'],
    ],
  ])("%s", async (_name, rule, spec, wanted) => {
    expect(judged(rule, spec)).toEqual(wanted);
  });
});

test("rules are not evaluated if the value is already invalid", async () => {
  expect(judged({ rule: "false" }, { replicas: "x" })).toEqual([
    'spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"',
    "<nil>: Invalid value: null: some validation rules were not checked because the object was " +
      "invalid; correct the existing errors to complete validation",
  ]);
});

describe("a transition rule", () => {
  test("is evaluated for changes only", async () => {
    const server = await aServerWith({
      spec: ruled({ rule: "self.replicas >= oldSelf.replicas", message: "only up" }),
    });
    expect(ask(server, "POST", WIDGETS, aWidget({ replicas: 3 })).status).toBe(201);
    const down = ask(server, "PATCH", `${WIDGETS}/w`, { spec: { replicas: 2 } }, MERGE);
    expect(refusalOf(down)).toEqual(['spec: Invalid value: "object": only up']);
    expect(ask(server, "PATCH", `${WIDGETS}/w`, { spec: { replicas: 4 } }, MERGE).status).toBe(200);
  });

  test("is also evaluated for new values with optionalOldSelf", async () => {
    const rule = { rule: "oldSelf.hasValue() || self.replicas == 1", optionalOldSelf: true };
    expect(judged(rule, { replicas: 2 })).toHaveLength(1);
    expect(judged(rule, { replicas: 1 })).toEqual([]);
  });

  test("correlates items by their keys", async () => {
    const list = {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string" }, size: { type: "integer" } },
        "x-kubernetes-validations": [{ rule: "self.size == oldSelf.size", message: "fixed" }],
      },
    };
    const server = await aServerWith({ spec: { type: "object", properties: { list } } });
    const [a, b] = [
      { name: "a", size: 1 },
      { name: "b", size: 2 },
    ];
    ask(server, "POST", WIDGETS, aWidget({ list: [a, b] }));
    const patch = (items: object[]) =>
      ask(server, "PATCH", `${WIDGETS}/w`, { spec: { list: items } }, MERGE);
    expect(patch([b, { name: "c", size: 3 }, a]).status).toBe(200);
    expect(refusalOf(patch([{ ...b, size: 9 }]))).toEqual([
      'spec.list[0]: Invalid value: "object": fixed',
    ]);
  });
});

test("a value that a stricter schema rejects may stay unless it is changed", async () => {
  const server = await aServerWith();
  ask(server, "POST", WIDGETS, aWidget({ name: "long", replicas: 5 }));
  const url = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com";
  const spec = ruled(
    { rule: "true" },
    {
      properties: {
        name: { type: "string", maxLength: 2 },
        replicas: { type: "integer" },
        part: { type: "object", "x-kubernetes-validations": [{ rule: "false" }] },
      },
    },
  );
  const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
  const versions = [{ name: "v1", served: true, storage: true, schema }];
  expect(ask(server, "PATCH", url, { spec: { versions } }, MERGE).status).toBe(200);
  const change = (part: object) => ask(server, "PATCH", `${WIDGETS}/w`, { spec: part }, MERGE);
  expect(change({ replicas: 6 }).status).toBe(200);
  expect(refusalOf(change({ name: "other" }))).toContain(
    "spec.name: Too long: may not be more than 2 bytes",
  );
});

test("rules with nested loops are stopped in time", async () => {
  const items = { type: "array", maxItems: 1000, items: { type: "integer" } };
  const rule = "self.l.all(a, self.l.all(b, a + b >= 0))";
  const server = await aServerWith({
    spec: { type: "object", properties: { l: items }, "x-kubernetes-validations": [{ rule }] },
  });
  const l = Array.from({ length: 1000 }, (_, at) => at);
  const [problem] = refusalOf(ask(server, "POST", WIDGETS, aWidget({ l })));
  expect(problem).toContain(
    "no further validation rules will be run due to call cost exceeds limit",
  );
});
