/**
 * Pure: applies the defaults of a schema. Null counts as missing if the schema does not allow it.
 */
import { draftOf, type Json } from "../../api/object.ts";
import { setOwn } from "../../api/schema/parsed-json.ts";
import { fieldSchema, isObject, itemsOf, type Schema } from "./schema.ts";

/**
 * Returns the same value if there is nothing to add, because objects are read far more often than
 * they need defaults.
 */
export function withDefaults(value: Json, schema: Schema): Json {
  if (!hasDefaults(schema)) return value;
  return filled(value, schema);
}

function filled(value: Json, schema: Schema): Json {
  if (Array.isArray(value)) return filledList(value, schema);
  return isObject(value) ? filledObject(value as { [key: string]: Json }, schema) : value;
}

function filledList(list: Json[], schema: Schema): Json {
  const items = itemsOf(schema);
  if (!items || !hasDefaults(items)) return list;
  let copy: Json[] | undefined;
  for (const [at, item] of list.entries()) {
    const next = filledField(item, items) ?? null;
    if (next === item) continue;
    copy ??= [...list];
    copy[at] = next;
  }
  return copy ?? list;
}

function filledObject(object: { [key: string]: Json }, schema: Schema): Json {
  const changes = new Map<string, Json | undefined>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (property.default === undefined || Object.hasOwn(object, name)) continue;
    changes.set(name, filled(draftOf(property.default as Json) as Json, property));
  }
  for (const [name, value] of Object.entries(object)) {
    const field = fieldSchema(schema, name);
    if (!field) continue;
    const next = filledField(value, field);
    if (next !== value) changes.set(name, next);
  }
  if (changes.size === 0) return object;
  const merged = new Map<string, Json>(Object.entries(object));
  for (const [name, value] of changes) {
    if (value === undefined) merged.delete(name);
    else merged.set(name, value);
  }
  return Object.fromEntries([...merged].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** For null in a field that is not nullable: the default if there is one, else null. */
function filledField(value: Json, schema: Schema): Json | undefined {
  if (value === null && !schema.nullable) {
    if (schema.default === undefined) return value;
    return filled(draftOf(schema.default as Json) as Json, schema);
  }
  return filled(value, schema);
}

const known = new WeakMap<Schema, boolean>();

function hasDefaults(schema: Schema): boolean {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const inner = [
    ...Object.values(schema.properties ?? {}),
    ...(isObject(schema.additionalProperties) ? [schema.additionalProperties as Schema] : []),
    ...(isObject(schema.items) ? [schema.items as Schema] : []),
  ];
  const found = schema.default !== undefined || inner.some(hasDefaults);
  known.set(schema, found);
  return found;
}

/**
 * Removes null from fields that are not nullable and have no default, as if they had not been sent.
 * Returns the same value if there is none.
 */
export function withoutNulls(value: Json, schema: Schema): Json {
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    return items ? withoutNullsInside(value, items) : value;
  }
  if (!isObject(value)) return value;
  let copy: { [name: string]: Json } | undefined;
  for (const name in value) {
    const item = value[name] ?? null;
    if (item !== null && typeof item !== "object") continue;
    const field = fieldSchema(schema, name);
    const isProperty = schema.properties && Object.hasOwn(schema.properties, name);
    const isDropped = item === null && isProperty && field && !field.nullable;
    if (isDropped && field.default === undefined) {
      copy ??= { ...value };
      delete copy[name];
      continue;
    }
    const inner = field ? withoutNulls(item, field) : item;
    if (inner === item) continue;
    copy ??= { ...value };
    setOwn(copy, name, inner);
  }
  return copy ?? value;
}

function withoutNullsInside(list: Json[], items: Schema): Json[] {
  const copy = list.map((item) => withoutNulls(item, items));
  return copy.some((item, at) => item !== list[at]) ? copy : list;
}
