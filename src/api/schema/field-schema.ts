/**
 * Pure: how the fields of a type are merged and owned: which lists are sets or have keys, and which
 * maps are atomic. For built-in types it is derived from the tables. For types with another
 * description, such as custom resources, the caller builds a FieldSchema.
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
  /** The fields that identify an item of a list of kind "map", sorted. */
  readonly keys: readonly ListKey[];
  readonly element: () => FieldSchema;
}

export interface ListKey {
  readonly name: string;
  /** The value for an item without the key; absent: the key is required. */
  readonly default?: string | number | boolean;
}

export interface MapSchema {
  readonly kind: "map";
  readonly isAtomic: boolean;
  /** The declared fields of a struct; none for a plain map. */
  readonly field: (name: string) => FieldSchema | undefined;
  /** The type of keys that are not declared fields; absent: no other keys are allowed. */
  readonly element?: () => FieldSchema;
}

/** The type is derived from the value: maps are merged, lists are atomic. */
export interface DeducedSchema {
  readonly kind: "deduced";
}

export const DEDUCED: DeducedSchema = { kind: "deduced" };

/** The schema of a message of the tables. Cached. */
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

/** A key has the default of its field. With these exceptions it is the zero value of the type. */
function listKey(element: string, name: string): ListKey {
  if (element === "core/v1.ObjectReference") return { name };
  if (name === "protocol") return { name, default: "TCP" };
  const type = jsonFields(element).get(name)?.type;
  return { name, default: type === "int32" || type === "int64" ? 0 : "" };
}

/** An object that is written and owned as a whole. */
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
