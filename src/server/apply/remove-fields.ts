/** Pure: removes the fields of a set from an object. */
import type { Json } from "../../api/object.ts";
import type { FieldSchema, ListSchema, MapSchema } from "../../api/schema/field-schema.ts";
import { setOwn } from "../../api/schema/parsed-json.ts";
import { below, type FieldSet, isEmptySet, isMember } from "./field-set.ts";
import { fieldElement, itemElement } from "./path-element.ts";
import { formOf, isBare, listOf, mapOf, schemaOfKey } from "./value.ts";

/** Returns null if nothing is left. */
export function removeFields(schema: FieldSchema, value: Json, fields: FieldSet): Json {
  if (isEmptySet(fields)) return value;
  const form = formOf(schema, value);
  switch (form.kind) {
    case "scalar":
      return value;
    case "list": {
      const items = listOf(value);
      if (form.relation === "atomic" || items === undefined || isBare(items)) return null;
      return removeItems(form, items, fields);
    }
    case "map": {
      const map = mapOf(value);
      if (form.isAtomic || map === undefined || isBare(map)) return null;
      return removeKeys(form, map, fields);
    }
  }
}

function removeItems(list: ListSchema, items: readonly Json[], fields: FieldSet): Json {
  const out: Json[] = [];
  for (const item of items) {
    const node = fields[itemElement(list, item)];
    if (node === undefined) out.push(item);
    else if (!isMember(node)) out.push(removeFields(list.element(), item, below(node)));
  }
  return out.length === 0 ? null : out;
}

function removeKeys(
  map: MapSchema,
  value: { readonly [key: string]: Json },
  fields: FieldSet,
): Json {
  const out: { [key: string]: Json } = {};
  let isEmpty = true;
  for (const [key, item] of Object.entries(value)) {
    const node = fields[fieldElement(key)];
    if (node !== undefined && isMember(node)) continue;
    isEmpty = false;
    const schema = schemaOfKey(map, key);
    const isLeft = node === undefined || schema === undefined;
    setOwn(out, key, isLeft ? item : removeFields(schema, item, below(node)));
  }
  return isEmpty ? null : out;
}
