/** Pure: the schemas within a schema, in the order in which Kubernetes visits them. */
import { additionalOf, itemsOf, type Schema } from "../customresource/schema.ts";

export interface SchemaPart {
  readonly part: Schema;
  readonly at: string;
  /** The name of a property, or a keyword with a space after it. */
  readonly of: string;
}

/** Most schemas of a definition have none: these cost nothing here. */
export function partsOf(schema: Schema): readonly SchemaPart[] {
  let parts: SchemaPart[] | undefined;
  const add = (part: Schema, at: string, of: string): void => {
    parts ??= [];
    parts.push({ part, at, of });
  };
  const { properties } = schema;
  const additional = additionalOf(schema);
  const items = itemsOf(schema);
  if (typeof additional === "object") {
    add(additional, "additionalProperties", "additionalProperties ");
  }
  for (const name in properties) {
    const part = properties[name];
    if (part) add(part, `properties[${name}]`, name);
  }
  if (schema.not) add(schema.not, "not", "not ");
  for (const keyword of COMBINED) {
    const combined = schema[keyword] ?? NONE;
    for (const [at, part] of combined.entries()) add(part, `${keyword}[${at}]`, `${keyword} `);
  }
  if (items) add(items, "items", "items ");
  return parts ?? NONE;
}

const COMBINED = ["allOf", "oneOf", "anyOf"] as const;
const NONE: readonly never[] = [];
