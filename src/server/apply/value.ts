/** Pure: values as the schema sees them: their form, and equality. */
import type { Json } from "../../api/object.ts";
import {
  DEDUCED,
  type FieldSchema,
  type ListSchema,
  type MapSchema,
  type ScalarSchema,
} from "../../api/schema/field-schema.ts";

export type JsonMap = { readonly [key: string]: Json };

/** A schema with a definite form. */
export type Form = ScalarSchema | ListSchema | MapSchema;

/** If the schema allows any form, null counts as a map. */
export function formOf(schema: FieldSchema, value: Json | undefined): Form {
  if (schema.kind !== "deduced") return schema;
  if (Array.isArray(value)) return ANY_LIST;
  return typeof value === "object" || value === undefined ? ANY_MAP : ANY_SCALAR;
}

const ANY_SCALAR: ScalarSchema = { kind: "scalar", type: "untyped" };

const ANY_LIST: ListSchema = {
  kind: "list",
  relation: "atomic",
  keys: [],
  element: () => DEDUCED,
};

const ANY_MAP: MapSchema = {
  kind: "map",
  isAtomic: false,
  field: () => undefined,
  element: () => DEDUCED,
};

/** The schema of a map key; undefined if the schema has no such field. */
export function schemaOfKey(map: MapSchema, key: string): FieldSchema | undefined {
  return map.field(key) ?? map.element?.();
}

export function mapOf(value: Json | undefined): JsonMap | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return value;
}

export function listOf(value: Json | undefined): readonly Json[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

export function isEmptyMap(value: Json | undefined): boolean {
  const map = mapOf(value);
  if (map === undefined) return false;
  for (const _ in map) return false;
  return true;
}

/**
 * True for an absent or empty value. If both sides are, they can differ only in absent, null or
 * empty.
 */
export function isBare(value: JsonMap | readonly Json[] | undefined): boolean {
  for (const _ in value) return false;
  return true;
}

/** Unlike isEqual for objects, this distinguishes null, empty and absent. */
export function equalValues(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false;
    return one.every((item, index) => equalValues(item, other[index]));
  }
  const [mine, theirs] = [mapOf(one), mapOf(other)];
  if (mine === undefined || theirs === undefined) return false;
  const keys = Object.keys(mine);
  if (keys.length !== Object.keys(theirs).length) return false;
  return keys.every((key) => Object.hasOwn(theirs, key) && equalValues(mine[key], theirs[key]));
}
