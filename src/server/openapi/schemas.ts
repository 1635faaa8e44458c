/** The schemas of API objects, loaded once from schema/, with our own descriptions. */

import { readFileSync } from "node:fs";
import { packageFile } from "../../base/package-file.ts";
import { describe, describeProperty } from "./descriptions/descriptions.ts";

export interface Schema {
  readonly [keyword: string]: unknown;
  readonly properties?: { readonly [name: string]: Schema };
}

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export function findSchemaName(target: GroupVersionKind): string | undefined {
  return load().byKind.get(keyOf(target));
}

export function schemaReference(schemaName: string): Schema {
  return { $ref: `${REFERENCE_PREFIX}${schemaName}` };
}

export function metaReference(name: string): Schema {
  return schemaReference(`io.k8s.apimachinery.pkg.apis.meta.v1.${name}`);
}

/** Every schema that the given part of a document refers to, directly or indirectly. */
export function reachableSchemas(
  from: unknown,
  own: { readonly [schemaName: string]: Schema } = {},
): { [schemaName: string]: Schema } {
  const schemas = { ...load().schemas, ...own };
  const found = new Map<string, Schema>();
  const pending = [...referencesOf(from)];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (found.has(name)) continue;
    const schema = schemas[name];
    // In a user's schema, a text may look like a reference without being one.
    if (schema === undefined && Object.keys(own).length > 0) continue;
    if (schema === undefined) throw new Error(`no schema ${name}`);
    found.set(name, name in own ? schema : withDescriptions(name, schema));
    pending.push(...referencesOf(schema));
  }
  return Object.fromEntries([...found].sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** All schemas as they are in the files. */
export function allSchemas(): { readonly [schemaName: string]: Schema } {
  return load().schemas;
}

interface Catalog {
  readonly schemas: { readonly [schemaName: string]: Schema };
  readonly byKind: ReadonlyMap<string, string>;
}

const REFERENCE_PREFIX = "#/components/schemas/";

const KUBERNETES_FILE = packageFile("schema", "kubernetes-1.36.json");
const OWN_FILE = packageFile("schema", "tallyjob.json");

let catalog: Catalog | undefined;

/** The files are read only if a client requests OpenAPI. */
function load(): Catalog {
  if (catalog !== undefined) return catalog;
  type Schemas = { readonly [schemaName: string]: Schema };
  const kubernetes = JSON.parse(readFileSync(KUBERNETES_FILE, "utf8")) as Schemas;
  const own = JSON.parse(readFileSync(OWN_FILE, "utf8")) as { readonly schemas: Schemas };
  const schemas = { ...kubernetes, ...own.schemas };
  const byKind = new Map<string, string>();
  for (const [name, schema] of Object.entries(schemas)) {
    const kinds = schema["x-kubernetes-group-version-kind"] as GroupVersionKind[] | undefined;
    for (const kind of kinds ?? []) byKind.set(keyOf(kind), name);
  }
  catalog = { schemas, byKind };
  return catalog;
}

function keyOf({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}/${kind}`;
}

function* referencesOf(part: unknown): Generator<string> {
  if (part === null || typeof part !== "object") return;
  for (const [key, value] of Object.entries(part)) {
    if (key === "$ref" && typeof value === "string") yield value.slice(REFERENCE_PREFIX.length);
    else yield* referencesOf(value);
  }
}

function withDescriptions(schemaName: string, schema: Schema): Schema {
  const isKind = schema["x-kubernetes-group-version-kind"] !== undefined;
  const description = describe(schemaName);
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const text = describeProperty(schemaName, name, isKind);
    return [name, text === undefined ? property : { description: text, ...property }];
  });
  return {
    ...(description === undefined ? {} : { description }),
    ...schema,
    ...(schema.properties === undefined ? {} : { properties: Object.fromEntries(properties) }),
  };
}
