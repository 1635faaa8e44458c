/** Pure: how OpenAPI describes custom resources: their own schema, and the common fields. */
import type { Kind } from "../../kinds/kind.ts";
import type { Schema } from "./schemas.ts";

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** "com.example.v1.Widget": the group reversed, as in package names. */
export function customSchemaName({ group, version, kind }: GroupVersionKind): string {
  return [...group.split(".").reverse(), version, kind].join(".");
}

const META = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.";
const API_VERSION = {
  description: "The version of the schema that this object is written in.",
  type: "string",
};
const KIND = { description: "The kind of the object.", type: "string" };

/** The fields that every object has. */
export const META_PROPERTIES: { readonly [name: string]: Schema } = {
  apiVersion: API_VERSION,
  kind: KIND,
  metadata: {
    description: "Metadata of the object: its name, labels, owners and so on.",
    allOf: [{ $ref: `${META}ObjectMeta` }],
  },
};

/** The schemas of the object and of its list, by name; empty for a built-in kind. */
export function customSchemas(kind: Kind): { readonly [name: string]: Schema } {
  if (!kind.custom) return {};
  const { schema, listKind } = kind.custom;
  const { group, version } = kind;
  const own = customSchemaName(kind);
  const object = {
    ...schema,
    type: "object",
    properties: { ...schema.properties, ...META_PROPERTIES },
    "x-kubernetes-group-version-kind": [{ group, version, kind: kind.kind }],
  };
  const list = {
    description: `${listKind} is a list of ${kind.kind}.`,
    type: "object",
    required: ["items"],
    properties: {
      apiVersion: API_VERSION,
      items: {
        description: `A list of ${kind.resource}.`,
        type: "array",
        items: { allOf: [{ $ref: `#/components/schemas/${own}` }] },
      },
      kind: KIND,
      metadata: {
        description: "Metadata of the list.",
        allOf: [{ $ref: `${META}ListMeta` }],
      },
    },
    "x-kubernetes-group-version-kind": [{ group, version, kind: listKind }],
  };
  return {
    [own]: object as Schema,
    [customSchemaName({ group, version, kind: listKind })]: list as Schema,
  };
}
