/**
 * The CRD manifests for clusters: each has a structural schema, and the same fields that are
 * served.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { registry } from "../../src/kinds/registry.ts";
import { aServer } from "../builders/server.ts";
import { ask } from "../support/ask.ts";

interface Schema {
  readonly type?: string;
  readonly required?: readonly string[];
  readonly properties?: { readonly [name: string]: Schema };
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-validations"?: readonly { readonly rule: string }[];
}

interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: {
      readonly kind: string;
      readonly plural: string;
      readonly singular: string;
      readonly shortNames: readonly string[];
    };
    readonly versions: readonly [
      {
        readonly name: string;
        readonly subresources?: object;
        readonly additionalPrinterColumns: readonly { readonly name: string }[];
        readonly schema: { readonly openAPIV3Schema: Schema };
      },
    ];
  };
}

const folder = join(import.meta.dirname, "../../deploy/crds");
const definitions = readdirSync(folder)
  .filter((file) => file.startsWith("tallyjob.io_"))
  .map((file) => parse(readFileSync(join(folder, file), "utf8")) as Definition);

function kindOf({ spec }: Definition) {
  const [{ name: version }] = spec.versions;
  return registry.getResource(spec.group, version, spec.names.plural);
}

test("there is a manifest for each kind of the group, with the same names", () => {
  const own = registry.kinds.filter(({ group }) => group === "tallyjob.io");
  expect(definitions.map(kindOf)).toEqual(own);
  for (const definition of definitions) {
    const { kind, singular, shortNames, columns, subresources } = kindOf(definition);
    const { names, versions } = definition.spec;
    expect(names).toMatchObject({ kind, singular, shortNames });
    const [{ additionalPrinterColumns, subresources: given }] = versions;
    const printed = additionalPrinterColumns.map(({ name }) => name);
    expect(["Name", ...printed]).toEqual(columns.map(({ name }) => name));
    expect(given !== undefined).toBe(subresources !== undefined);
  }
});

const KEYWORDS = new Set([
  ...["description", "type", "format", "enum", "required", "default", "properties", "items"],
  ...["additionalProperties", "minimum", "minLength", "maxLength", "pattern", "minItems"],
  ...["maxItems", "anyOf"],
]);

/** The rules for structural schemas that an API server checks when a manifest is applied. */
function* offencesOf(schema: Schema, path: string): Generator<string> {
  const isEither = schema["x-kubernetes-int-or-string"] === true;
  if (schema.type === undefined && !isEither) yield `${path}: no type`;
  for (const keyword of Object.keys(schema)) {
    if (!KEYWORDS.has(keyword) && !keyword.startsWith("x-kubernetes-")) yield `${path}: ${keyword}`;
  }
  for (const name of schema.required ?? []) {
    if (!schema.properties?.[name]) yield `${path}: requires ${name}, which is not there`;
  }
  for (const key of schema["x-kubernetes-list-map-keys"] ?? []) {
    const { required = [], properties = {} } = schema.items ?? {};
    if (!required.includes(key) && properties[key]?.default === undefined) {
      yield `${path}: key ${key} may be missing`;
    }
  }
  const { default: value, type } = schema;
  if (value !== undefined && type !== "integer" && typeof value !== type) yield `${path}: default`;
  if (schema.enum && typeof value === "string" && !schema.enum.includes(value)) {
    yield `${path}: default is none of the values`;
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    yield* offencesOf(property, `${path}.${name}`);
  }
  if (schema.items) yield* offencesOf(schema.items, `${path}[]`);
  if (schema.additionalProperties) yield* offencesOf(schema.additionalProperties, `${path}{}`);
}

test.each(definitions.map((each) => [each.metadata.name, each] as const))(
  "%s has a structural schema",
  (_, { spec }) => {
    const [{ schema }] = spec.versions;
    expect([...offencesOf(schema.openAPIV3Schema, "")]).toEqual([]);
  },
);

/** Yields all paths, such as "spec.jobs[].template.spec.template.spec.containers[].name". */
function* pathsOf(schema: Schema, path: string): Generator<string> {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const own = path === "" ? name : `${path}.${name}`;
    yield own;
    // Of metadata a manifest lists only the fields that a template may have.
    if (name !== "metadata") yield* pathsOf(property, own);
  }
  if (schema.items) yield* pathsOf(schema.items, `${path}[]`);
}

interface Served extends Schema {
  readonly allOf?: readonly { readonly $ref: string }[];
  readonly $ref?: string;
}

function expanded(schema: Served, schemas: { readonly [name: string]: Served }): Served {
  const reference = schema.allOf?.[0]?.$ref ?? schema.$ref;
  const found = reference === undefined ? schema : schemas[reference.split("/").at(-1) ?? ""];
  const { properties, items } = found ?? {};
  return {
    ...(properties
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, each]) => [
              name,
              name === "metadata" ? {} : expanded(each, schemas),
            ]),
          ),
        }
      : {}),
    ...(items ? { items: expanded(items, schemas) } : {}),
  };
}

test("the manifests have the same fields as the served OpenAPI", () => {
  const told = ask(aServer(), "GET", "/openapi/v3/apis/tallyjob.io/v1alpha1");
  const { components } = told.object as unknown as {
    components: { schemas: { [name: string]: Served } };
  };
  for (const { spec } of definitions) {
    const served = components.schemas[`io.tallyjob.v1alpha1.${spec.names.kind}`] ?? {};
    const [{ schema }] = spec.versions;
    const own = [...pathsOf(schema.openAPIV3Schema, "")];
    expect(own).toEqual([...pathsOf(expanded(served, components.schemas), "")]);
    expect(own.length).toBeGreaterThan(400);
  }
});

test("constraints between fields are expressed as CEL rules", () => {
  const rules: string[] = [];
  const collect = (schema: Schema): void => {
    for (const { rule } of schema["x-kubernetes-validations"] ?? []) rules.push(rule);
    for (const each of Object.values(schema.properties ?? {})) collect(each);
    if (schema.items) collect(schema.items);
  };
  for (const { spec } of definitions) collect(spec.versions[0].schema.openAPIV3Schema);
  expect(rules).toContain("has(self.template) != has(self.templateRef)");
  expect(rules).toContain("self.jobs == oldSelf.jobs");
});
