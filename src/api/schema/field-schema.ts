/**
 * Pure: how the fields of a type are merged and owned: which lists are sets or have keys, which
 * maps are taken as a whole. Built-in types have it from the tables; whoever has another
 * description of a type, such as a custom resource, builds a FieldSchema of it.
 */
import { type FieldFacts, findMessage, jsonFields, parseType, type Scalar } from "./tables.ts";

export type FieldSchema = ScalarSchema | ListSchema | MapSchema | DeducedSchema;

export interface ScalarSchema {
  readonly kind: "scalar";
  readonly type: "string" | "numeric" | "boolean" | "untyped";
}

export interface ListSchema {
  readonly kind: "list";
  readonly relation: "atomic" | "set" | "map";
  /** The fields an item of a list of kind "map" is known by, sorted. */
  readonly keys: readonly ListKey[];
  readonly element: () => FieldSchema;
}

export interface ListKey {
  readonly name: string;
  /** What an item that leaves the key out has instead; absent: it must not. */
  readonly default?: string | number | boolean;
}

export interface MapSchema {
  readonly kind: "map";
  readonly isAtomic: boolean;
  /** The declared fields of a struct; none for a map of anything. */
  readonly field: (name: string) => FieldSchema | undefined;
  /** What keys other than declared fields hold; absent: there may be no others. */
  readonly element?: () => FieldSchema;
}

/** Known only by looking at a value: maps are merged, lists are taken as a whole. */
export interface DeducedSchema {
  readonly kind: "deduced";
}

export const DEDUCED: DeducedSchema = { kind: "deduced" };

/** The schema of a message of the tables; the same one each time. */
export function fieldSchemaOf(messageName: string): MapSchema {
  const known = schemas.get(messageName);
  if (known !== undefined) return known;
  const fields = new Map<string, FieldSchema | undefined>();
  const schema: MapSchema = {
    kind: "map",
    isAtomic: findMessage(messageName)?.mapType === "atomic",
    field: (name) => {
      if (!fields.has(name)) fields.set(name, schemaOfField(messageName, name));
      return fields.get(name);
    },
  };
  schemas.set(messageName, schema);
  return schema;
}

const schemas = new Map<string, MapSchema>();

function schemaOfField(messageName: string, name: string): FieldSchema | undefined {
  const facts = jsonFields(messageName).get(name);
  return facts === undefined ? undefined : schemaOfType(facts.type, facts);
}

type MergeFacts = Pick<FieldFacts, "listType" | "listKeys" | "mapType">;

function schemaOfType(type: string, facts: MergeFacts): FieldSchema {
  const reference = parseType(type);
  switch (reference.kind) {
    case "list": {
      const element = () => schemaOfType(reference.element, {});
      return { kind: "list", ...relationOf(reference.element, facts), element };
    }
    case "map": {
      const element = () => schemaOfType(reference.element, {});
      const isAtomic = facts.mapType === "atomic";
      return { kind: "map", isAtomic, field: () => undefined, element };
    }
    case "message": {
      const schema = fieldSchemaOf(reference.name);
      if (facts.mapType === undefined) return schema;
      return { ...schema, isAtomic: facts.mapType === "atomic" };
    }
    case "scalar":
      return SCALARS[reference.name];
  }
}

function relationOf(element: string, facts: MergeFacts): Pick<ListSchema, "relation" | "keys"> {
  if (facts.listType === "set") return { relation: "set", keys: [] };
  if (facts.listType !== "map") return { relation: "atomic", keys: [] };
  const keys = [...(facts.listKeys ?? [])].sort().map((name) => listKey(element, name));
  return { relation: "map", keys };
}

/** Keys have the default of their field, which is the zero of its type but for these. */
function listKey(element: string, name: string): ListKey {
  if (element === "core/v1.ObjectReference") return { name };
  if (name === "protocol") return { name, default: "TCP" };
  const type = jsonFields(element).get(name)?.type;
  return { name, default: type === "int32" || type === "int64" ? 0 : "" };
}

/** Any object, which is written and owned as one. */
const WHOLE: MapSchema = {
  kind: "map",
  isAtomic: true,
  field: () => undefined,
  element: () => DEDUCED,
};

const scalar = (type: ScalarSchema["type"]): ScalarSchema => ({ kind: "scalar", type });

const SCALARS: { readonly [name in Scalar]: FieldSchema } = {
  string: scalar("string"),
  bytes: scalar("string"),
  bool: scalar("boolean"),
  int32: scalar("numeric"),
  int64: scalar("numeric"),
  float64: scalar("numeric"),
  Quantity: scalar("untyped"),
  IntOrString: scalar("untyped"),
  Time: scalar("untyped"),
  MicroTime: scalar("untyped"),
  RawExtension: WHOLE,
  FieldsV1: DEDUCED,
  JSON: DEDUCED,
};
