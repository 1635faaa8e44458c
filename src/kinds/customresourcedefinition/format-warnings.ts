/** Pure: warnings about string formats that are not checked, which authors may not know. */
import type { CustomResourceDefinition } from "../../api/generated/apiextensions.ts";
import type { Schema } from "../customresource/schema.ts";
import { partsOf } from "./schema-parts.ts";

export function formatWarnings({ spec }: CustomResourceDefinition): string[] {
  const found = new Set<string>();
  for (const { schema } of spec.versions ?? []) {
    if (schema?.openAPIV3Schema) collect(schema.openAPIV3Schema, found);
  }
  return [...found].map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

const TEXT_FORMATS =
  "bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 " +
  "creditcard ssn hexcolor rgbcolor byte password date duration datetime date-time " +
  "k8s-short-name k8s-long-name";

const FORMATS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["string", new Set(TEXT_FORMATS.split(" "))],
  ["integer", new Set(["int32", "int64"])],
  ["number", new Set(["float", "double"])],
]);

function collect(schema: Schema, found: Set<string>): void {
  const { format, type = "" } = schema;
  if (format && !FORMATS.get(type)?.has(format)) found.add(format);
  for (const { part } of partsOf(schema)) collect(part, found);
}
