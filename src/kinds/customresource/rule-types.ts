/** Pure: converts schemas and values to the types and values of rule expressions. */

import { parseGoDuration } from "../../api/go-duration.ts";
import type { Json } from "../../api/object.ts";
import { parseTimestamp } from "../cel/library/time-text.ts";
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  objectOf,
  STRING,
  TIMESTAMP,
  type Type,
} from "../cel/types.ts";
import { Duration, markUnordered, type Value } from "../cel/value.ts";
import { additionalOf, isEmbedded, isIntOrString, itemsOf, type Schema } from "./schema.ts";

/** In addition to its schema, a resource has kind, apiVersion and metadata. */
export function ruleType(schema: Schema, isResource = isEmbedded(schema)): Type {
  if (isIntOrString(schema)) return DYN;
  switch (schema.type) {
    case "boolean":
      return BOOL;
    case "integer":
      return INT;
    case "number":
      return DOUBLE;
    case "string":
      return STRING_FORMATS[schema.format ?? ""] ?? STRING;
    case "array":
      return listOf(ruleType(itemsOf(schema) ?? {}));
    case "object":
      return objectType(schema, isResource);
    default:
      return DYN;
  }
}

const STRING_FORMATS: { readonly [format: string]: Type } = {
  byte: BYTES,
  date: TIMESTAMP,
  "date-time": TIMESTAMP,
  duration: DURATION,
};

function objectType(schema: Schema, isResource: boolean): Type {
  const additional = additionalOf(schema);
  if (typeof additional === "object") return mapOf(STRING, ruleType(additional));
  if (additional === true) return mapOf(STRING, DYN);
  const fields = new Map<string, Type>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const escaped = escapedName(name);
    if (escaped !== undefined) fields.set(escaped, ruleType(property));
  }
  if (isResource) {
    fields.set("apiVersion", STRING);
    fields.set("kind", STRING);
    fields.set("metadata", METADATA);
  }
  return objectOf(fields);
}

const METADATA = objectOf(
  new Map([
    ["name", STRING],
    ["generateName", STRING],
  ]),
);

const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "true false null in as break const continue else for function if import let loop package " +
    "namespace return var void while"
  ).split(" "),
);
const ESCAPES: { readonly [char: string]: string } = {
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};

/** The spelling of a field name in expressions; undefined if it cannot be written. */
export function escapedName(name: string): string | undefined {
  if (!/^[A-Za-z_.\-/][A-Za-z0-9_.\-/]*$/.test(name)) return undefined;
  if (KEYWORDS.has(name)) return `__${name}__`;
  return name.replace(/__|[.\-/]/g, (found) => ESCAPES[found] ?? "__underscores__");
}

export function ruleValue(value: Json, schema: Schema): Value {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") return textValue(value, schema);
  if (typeof value === "number") {
    const isInteger = schema.type !== "number" && Number.isInteger(value);
    return isInteger ? BigInt(value) : value;
  }
  if (Array.isArray(value)) return listValue(value, schema);
  return objectValue(value, schema);
}

function textValue(text: string, { format, type }: Schema): Value {
  if (type !== "string") return text;
  switch (format) {
    case "byte":
      return Buffer.from(text, "base64");
    case "date":
      return parseTimestamp(`${text}T00:00:00Z`);
    case "date-time":
      return parseTimestamp(text.toUpperCase());
    case "duration": {
      const parsed = parseGoDuration(text);
      return "problem" in parsed ? text : new Duration(parsed.nanoseconds);
    }
    default:
      return text;
  }
}

function listValue(list: readonly Json[], schema: Schema): Value {
  const items = itemsOf(schema) ?? {};
  const values = list.map((item) => ruleValue(item, items));
  const listType = schema["x-kubernetes-list-type"];
  if (listType === "set") markUnordered(values, []);
  if (listType === "map") markUnordered(values, schema["x-kubernetes-list-map-keys"] ?? []);
  return values;
}

function objectValue(object: { readonly [key: string]: Json }, schema: Schema): Value {
  const additional = additionalOf(schema);
  const isMap = additional !== undefined && additional !== false;
  const fields = new Map<Value, Value>();
  for (const [name, value] of Object.entries(object)) {
    const property = schema.properties?.[name];
    if (isMap) fields.set(name, ruleValue(value, typeof additional === "object" ? additional : {}));
    else {
      const escaped = escapedName(name);
      if (escaped !== undefined) fields.set(escaped, ruleValue(value, property ?? {}));
    }
  }
  return fields;
}
