/** Pure: converts OpenAPI v3 schemas to version 2. */
import { META_PROPERTIES } from "./custom-schemas.ts";
import type { Schema } from "./schemas.ts";

/** For Kubernetes' and Tally's own kinds. */
export function toV2Schema(schema: Schema): Schema {
  const converted = convertKeywords(schema, toV2Schema);
  const hasChoice = schema["oneOf"] !== undefined && schema["type"] === undefined;
  // A number-or-string is a string, because version 2 has no alternatives.
  return hasChoice ? { type: "string", ...converted } : converted;
}

/**
 * For custom resources. kubectl rejects fields that the schema does not list, so that a part that
 * may contain anything must not list fields, and a nullable part must not have a type.
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

/** kubectl treats a nullable field as optional. */
function stillRequired(schema: Schema): readonly string[] {
  const required = (schema["required"] as readonly string[] | undefined) ?? [];
  return required.filter((name) => schema.properties?.[name]?.["nullable"] !== true);
}

/** An embedded object has the fields of every object. */
function withTypeMeta(schema: Schema): Schema {
  const meta = toV2Schema({ properties: META_PROPERTIES });
  const required = (schema["required"] as readonly string[] | undefined) ?? [];
  return {
    ...schema,
    required: [...new Set([...required, "kind", "apiVersion"])],
    properties: { ...schema.properties, ...meta.properties },
  };
}

/** Version 2 has no alternatives between schemas, and Kubernetes shows no defaults in it. */
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
