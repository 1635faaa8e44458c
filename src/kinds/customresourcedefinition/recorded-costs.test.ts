/** Answers of a real API server about rules in schemas: by which factor each is too expensive. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Schema } from "../customresource/schema.ts";
import { validateRules } from "./validate-rules.ts";

interface Recorded {
  readonly schemas: { readonly [name: string]: Schema };
  readonly cases: readonly Case[];
}

interface Case {
  readonly schema: string;
  readonly rule: string;
  /** maxItems of the list that the schema is in; 0 for no limit, null for no list. */
  readonly times: number | null;
  /** "1.2x" for the rule, then for the whole schema; empty if it was accepted. */
  readonly factors: readonly string[];
}

const FILE = new URL("../../../test/conformance/recordings/rule-costs.json", import.meta.url);
const recorded = JSON.parse(readFileSync(FILE, "utf8")) as Recorded;

function definedSchema({ schema, rule, times }: Case): Schema {
  const own = { ...recorded.schemas[schema], "x-kubernetes-validations": [{ rule }] } as Schema;
  const limit = times === 0 || times === null ? {} : { maxItems: times };
  const spec = times === null ? own : { type: "array", items: own, ...limit };
  return { type: "object", properties: { spec } } as Schema;
}

function factorsOf(given: Case): string[] {
  const findings = validateRules(definedSchema(given), "schema", undefined);
  return findings.flatMap(({ message }) => /factor of (.+) \(/.exec(message)?.[1] ?? []);
}

test("the estimated costs of rules are those of Kubernetes", () => {
  const differing = recorded.cases
    .map((given) => ({ ...given, found: factorsOf(given) }))
    .filter(({ factors, found }) => factors.join() !== found.join());
  expect(differing).toEqual([]);
});

test("a rule that is too expensive is rejected by itself and as a part of the total", () => {
  const list = { type: "array", items: { type: "string" } };
  const rule = "self.all(x, x.size() > 2)";
  const spec = { ...list, "x-kubernetes-validations": [{ rule }] };
  const schema = { type: "object", properties: { all: { type: "array", items: spec } } };
  const at = "schema.properties[all].items.x-kubernetes-validations[0].rule";
  const advice =
    "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, " +
    "maps, and strings are declared)";
  const findings = validateRules(schema as unknown as Schema, "schema", undefined);
  expect(findings.map(({ field, message }) => `${field}: ${message}`)).toEqual([
    `${at}: Forbidden: estimated rule cost exceeds budget by factor of more than 100x ${advice}`,
    `${at}: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire ` +
      "OpenAPIv3 schema",
    "schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 " +
      `schema exceeds budget by factor of more than 100x ${advice}`,
  ]);
});

test("an accepted rule may stay with its schema, but the total is still checked", () => {
  const rule = "self.all(x, x.matches('^[a-z]*$'))";
  const list = { type: "array", maxItems: 100, items: { type: "string", maxLength: 200_000 } };
  const spec = { ...list, "x-kubernetes-validations": [{ rule }] };
  const schema = { type: "object", properties: { spec } } as unknown as Schema;
  expect(validateRules(schema, "schema", undefined)).toHaveLength(1);
  expect(validateRules(schema, "schema", structuredClone(schema))).toEqual([]);
});
