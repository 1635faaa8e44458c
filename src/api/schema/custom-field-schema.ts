/**
 * Pure: how fields of custom resources are merged and owned, according to the schema of their
 * definition.
 */
import type { JSONSchemaProps } from "../generated/apiextensions.ts";
import {
  DEDUCED,
  type FieldSchema,
  fieldSchemaOf,
  type ListSchema,
  type MapSchema,
  type ScalarSchema,
} from "./field-schema.ts";

/** Cached: returns the same result for the same schema. */
export function customFieldSchema(schema: JSONSchemaProps): MapSchema {
  const known = schemas.get(schema);
  if (known !== undefined) return known;
  const given = schemaOfProps(schema);
  const fields: MapSchema = given.kind === "map" ? given : NO_DECLARATIONS;
  const root: MapSchema = {
    kind: "map",
    isAtomic: false,
    field: (name) => ROOT_FIELDS[name] ?? fields.field(name),
    ...(fields.element ? { element: fields.element } : {}),
  };
  schemas.set(schema, root);
  return root;
}

const schemas = new WeakMap<JSONSchemaProps, MapSchema>();

const NO_DECLARATIONS: MapSchema = {
  kind: "map",
  isAtomic: false,
  field: () => undefined,
  element: () => DEDUCED,
};

const ROOT_FIELDS: { readonly [name: string]: FieldSchema } = {
  apiVersion: { kind: "scalar", type: "string" },
  kind: { kind: "scalar", type: "string" },
  metadata: fieldSchemaOf("meta/v1.ObjectMeta"),
};

function schemaOfProps(props: JSONSchemaProps): FieldSchema {
  if (props["x-kubernetes-int-or-string"]) return { kind: "scalar", type: "untyped" };
  switch (props.type) {
    case "object":
      return mapOfProps(props);
    case "array":
      return listOfProps(props);
    default:
      return props.type === undefined || props.type === "" ? DEDUCED : scalarOfType(props);
  }
}

function scalarOfType({ type, format }: JSONSchemaProps): ScalarSchema {
  if (type === "integer" || type === "number") return { kind: "scalar", type: "numeric" };
  if (type === "boolean") return { kind: "scalar", type: "boolean" };
  const isText = type === "string" && (format === undefined || ["", "byte"].includes(format));
  return { kind: "scalar", type: isText ? "string" : "untyped" };
}

function mapOfProps(props: JSONSchemaProps): FieldSchema {
  const isAtomic = props["x-kubernetes-map-type"] === "atomic";
  if (props["x-kubernetes-embedded-resource"]) {
    return {
      ...customFieldSchema({ ...props, "x-kubernetes-embedded-resource": false }),
      isAtomic,
    };
  }
  const compiled = new Map<string, FieldSchema | undefined>();
  const field = (name: string): FieldSchema | undefined => {
    if (!compiled.has(name)) {
      const found = props.properties?.[name];
      compiled.set(name, found === undefined ? undefined : schemaOfProps(found));
    }
    return compiled.get(name);
  };
  const element = elementOfProps(props);
  return { kind: "map", isAtomic, field, ...(element ? { element } : {}) };
}

/** Undeclared fields are pruned before they could be owned, unless they are preserved. */
function elementOfProps(props: JSONSchemaProps): (() => FieldSchema) | undefined {
  const more = props.additionalProperties as JSONSchemaProps | boolean | undefined;
  if (typeof more === "object") return () => schemaOfProps(more);
  const hasFields = Object.keys(props.properties ?? {}).length > 0;
  if (more === true || props["x-kubernetes-preserve-unknown-fields"]) return () => DEDUCED;
  return hasFields ? undefined : () => DEDUCED;
}

function listOfProps(props: JSONSchemaProps): ListSchema {
  const items = props.items as JSONSchemaProps | undefined;
  const element = () => (items === undefined ? DEDUCED : schemaOfProps(items));
  const type = props["x-kubernetes-list-type"];
  const relation = type === "map" || type === "set" ? type : "atomic";
  const keys = [...(props["x-kubernetes-list-map-keys"] ?? [])].sort().map((name) => {
    const missing = items?.properties?.[name]?.default as string | number | boolean | undefined;
    return { name, ...(missing === undefined ? {} : { default: missing }) };
  });
  return { kind: "list", relation, keys, element };
}
