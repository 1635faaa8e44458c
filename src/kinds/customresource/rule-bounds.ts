/**
 * Pure: the maximum size of values that a schema describes, for estimating the cost of its rules.
 */
import type { Bounds } from "../cel/cost/size.ts";
import { escapedName } from "./rule-types.ts";
import { additionalOf, isEmbedded, isIntOrString, itemsOf, type Schema } from "./schema.ts";

/** The maximum size of a request, and so of anything in it. */
const MAX_REQUEST_BYTES = 3 * 1024 * 1024;
/** The brackets, braces or quotes around a value. */
const AROUND = 2;
/** The quotes of a key, a colon, a comma and two characters. */
const KEY_BYTES = 6;
/** The maximum number of bytes of a character in UTF-8. */
const CHARACTER_BYTES = 4;

/** Undefined for values that rules cannot access. */
export function ruleBounds(schema: Schema, isResource = isEmbedded(schema)): Bounds | undefined {
  if (isIntOrString(schema)) return { minBytes: 1, max: textBound(schema) };
  switch (schema.type) {
    case "boolean":
      return { minBytes: 4, max: 0 };
    case "integer":
    case "number":
      return { minBytes: 1, max: 0 };
    case "string":
      return stringBounds(schema);
    case "array":
      return listBounds(schema);
    case "object":
      return mapBounds(schema) ?? objectBounds(schema, isResource);
    default:
      return undefined;
  }
}

/** How often a value of that minimum size can occur in a request. */
export function mostTimes({ minBytes }: Bounds): number {
  return Math.floor(MAX_REQUEST_BYTES / (minBytes + 1));
}

function textBound({ maxLength }: Schema): number {
  if (maxLength === undefined) return MAX_REQUEST_BYTES - AROUND;
  return Math.max(0, maxLength) * CHARACTER_BYTES;
}

function stringBounds(schema: Schema): Bounds {
  const { maxLength, enum: allowed = [] } = schema;
  switch (schema.format) {
    case "byte":
      return { minBytes: AROUND, max: Math.max(0, maxLength ?? MAX_REQUEST_BYTES - AROUND) };
    case "duration":
      return { minBytes: 3, max: 32 };
    case "date":
      return { minBytes: 12, max: 12 };
    case "date-time":
      return { minBytes: 21, max: 32 };
  }
  if (maxLength !== undefined || allowed.length === 0) {
    return { minBytes: AROUND, max: textBound(schema) };
  }
  const lengths = allowed.map((each) => (typeof each === "string" ? Buffer.byteLength(each) : 0));
  return { minBytes: AROUND, max: Math.max(...lengths) };
}

function listBounds(schema: Schema): Bounds | undefined {
  const items = itemsOf(schema);
  const element = items && ruleBounds(items);
  if (!element) return undefined;
  const fitting = Math.floor((MAX_REQUEST_BYTES - AROUND) / (element.minBytes + 1));
  return { minBytes: AROUND, max: Math.max(0, schema.maxItems ?? fitting), element };
}

function mapBounds(schema: Schema): Bounds | undefined {
  const additional = additionalOf(schema);
  if (typeof additional !== "object") return undefined;
  const element = ruleBounds(additional);
  if (!element) return undefined;
  const fitting = Math.floor((MAX_REQUEST_BYTES - AROUND) / (element.minBytes + KEY_BYTES));
  const key = { minBytes: AROUND, max: 0 };
  return { minBytes: AROUND, max: Math.max(0, schema.maxProperties ?? fitting), key, element };
}

const NAME: Schema = { type: "string" };
const META: { readonly [name: string]: Schema } = {
  apiVersion: NAME,
  kind: NAME,
  metadata: { type: "object", properties: { name: NAME, generateName: NAME } },
};

function objectBounds(schema: Schema, isResource: boolean): Bounds {
  const properties = { ...schema.properties, ...(isResource ? META : {}) };
  const required = new Set(schema.required ?? []);
  const fields = new Map<string, Bounds>();
  let minBytes = AROUND;
  for (const [name, property] of Object.entries(properties)) {
    const bounds = ruleBounds(property);
    if (!bounds) continue;
    const escaped = escapedName(name);
    if (escaped !== undefined) fields.set(escaped, bounds);
    // Its quotes, a colon and a comma are included. A field with a default need not be sent.
    const isSent = required.has(name) && property.default === undefined;
    if (isSent) minBytes += Buffer.byteLength(name) + bounds.minBytes + 4;
  }
  return { minBytes, max: 0, fields };
}
