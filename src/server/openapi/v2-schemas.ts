/** Pure: schemas of OpenAPI v3 as version 2 knows them. */
import { META_PROPERTIES } from "./custom-schemas.ts";
import type { Schema } from "./schemas.ts";

/** Of Kubernetes and of ours. */
export function toV2Schema(schema: Schema): Schema {
  const converted = convertKeywords(schema, toV2Schema);
  const hasChoice = schema["oneOf"] !== undefined && schema["type"] === undefined;
  // What may be a number or a string is a string where there is no choice.
  return hasChoice ? { type: "string", ...converted } : converted;
}

/**
 * Of a kind that a user defined. kubectl refuses what its schema does not name, so a part that may
 * hold anything must not name its fields, and one that may be null must not have a type.
 */
export function toV2CustomSchema(schema: Schema): Schema {
  if (schema[PRESERVES] !== true) return toV2CustomPart(schema);
  return { type: "object", [GROUP_VERSION_KIND]: schema[GROUP_VERSION_KIND] };
}

const PRESERVES = "x-kubernetes-preserve-unknown-fields";
const EMBEDDED = "x-kubernetes-embedded-resource";
const GROUP_VERSION_KIND = "x-kubernetes-group-version-kind";

function toV2CustomPart(schema: Schema): Schema {
  const isNullable = schema["nullable"] === true;
  const isOpen = schema[PRESERVES] === true;
  const {
    items,
    properties,
    type,
    nullable: _nullable,
    ...rest
  } = convertKeywords(schema, toV2CustomPart);
  const isUntyped =
    isNullable || (isOpen && type === "object") || (type === "array" && (isOpen || !items));
  const required = stillRequired(schema);
  const parts = {
    ...(isUntyped || type === undefined ? {} : { type }),
    ...(items === undefined || isNullable || isOpen ? {} : { items }),
    ...(properties === undefined || isNullable || isOpen ? {} : { properties }),
  };
  const { required: _required, ...others } = rest;
  const converted = { ...others, ...parts, ...(required.length > 0 ? { required } : {}) };
  return schema[EMBEDDED] === true && !isOpen ? withTypeMeta(converted) : converted;
}

/** What may be null may be missing as far as kubectl is concerned. */
function stillRequired(schema: Schema): readonly string[] {
  const required = (schema["required"] as readonly string[] | undefined) ?? [];
  return required.filter((name) => schema.properties?.[name]?.["nullable"] !== true);
}

/** A whole object within another is one by itself. */
function withTypeMeta(schema: Schema): Schema {
  const meta = toV2Schema({ properties: META_PROPERTIES });
  const required = (schema["required"] as readonly string[] | undefined) ?? [];
  return {
    ...schema,
    required: [...new Set([...required, "kind", "apiVersion"])],
    properties: { ...schema.properties, ...meta.properties },
  };
}

/** Version 2 has no choice between schemas, and Kubernetes shows no defaults in it. */
const LEFT_OUT: ReadonlySet<string> = new Set(["allOf", "anyOf", "default", "not", "oneOf"]);

function convertKeywords(schema: Schema, inner: (part: Schema) => Schema): Schema {
  const converted: { [keyword: string]: unknown } = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (!LEFT_OUT.has(keyword)) converted[keyword] = convertKeyword(keyword, value, inner);
  }
  const [only] = (schema["allOf"] as readonly Schema[] | undefined) ?? [];
  if (only?.["$ref"] !== undefined) converted["$ref"] = toV2Reference(only["$ref"]);
  return converted;
}

function convertKeyword(keyword: string, value: unknown, inner: (part: Schema) => Schema): unknown {
  switch (keyword) {
    case "$ref":
      return toV2Reference(value);
    case "properties": {
      const properties = Object.entries(value as { readonly [name: string]: Schema });
      return Object.fromEntries(properties.map(([name, part]) => [name, inner(part)]));
    }
    case "items":
    case "additionalProperties":
      return typeof value === "object" && value !== null ? inner(value as Schema) : value;
    default:
      return value;
  }
}

function toV2Reference(reference: unknown): string {
  return String(reference).replace("#/components/schemas/", "#/definitions/");
}
