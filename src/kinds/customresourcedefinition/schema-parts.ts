/** Pure: the schemas within a schema, in the order in which Kubernetes visits them. */
import { additionalOf, itemsOf, type Schema } from "../customresource/schema.ts";

export interface SchemaPart {
  readonly part: Schema;
  readonly at: string;
  /** The name of a property, or a keyword with a space after it. */
  readonly of: string;
}

export function partsOf(schema: Schema): SchemaPart[] {
  const additional = additionalOf(schema);
  const items = itemsOf(schema);
  return [
    ...(typeof additional === "object"
      ? [{ part: additional, at: "additionalProperties", of: "additionalProperties " }]
      : []),
    ...Object.entries(schema.properties ?? {}).map(([name, part]) => ({
      part,
      at: `properties[${name}]`,
      of: name,
    })),
    ...(schema.not ? [{ part: schema.not, at: "not", of: "not " }] : []),
    ...(["allOf", "oneOf", "anyOf"] as const).flatMap((keyword) =>
      (schema[keyword] ?? []).map((part, at) => ({
        part,
        at: `${keyword}[${at}]`,
        of: `${keyword} `,
      })),
    ),
    ...(items ? [{ part: items, at: "items", of: "items " }] : []),
  ];
}
