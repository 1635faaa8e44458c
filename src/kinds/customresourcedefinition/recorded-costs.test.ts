/** What a real API server said of rules in schemas: by which factor each is too expensive. */
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
  /** The items of the list that the schema is in; 0 for any number, null for no list. */
  readonly times: number | null;
  /** "1.2x" of the rule, then of the whole schema; none where it was accepted. */
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

test("rules cost what they do in Kubernetes", () => {
  const differing = recorded.cases
    .map((given) => ({ ...given, found: factorsOf(given) }))
    .filter(({ factors, found }) => factors.join() !== found.join());
  expect(differing).toEqual([]);
});

test("too expensive a rule is refused by itself and as a part of the whole", () => {
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

test("a rule that was let in may stay as long as its schema does, but not the sum of all", () => {
  const rule = "self.all(x, x.matches('^[a-z]*$'))";
  const list = { type: "array", maxItems: 100, items: { type: "string", maxLength: 200_000 } };
  const spec = { ...list, "x-kubernetes-validations": [{ rule }] };
  const schema = { type: "object", properties: { spec } } as unknown as Schema;
  expect(validateRules(schema, "schema", undefined)).toHaveLength(1);
  expect(validateRules(schema, "schema", structuredClone(schema))).toEqual([]);
});
