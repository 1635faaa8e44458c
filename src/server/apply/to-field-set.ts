/** Pure: the set of all fields in a configuration. */
import type { Json } from "../../api/object.ts";
import type { FieldSchema, ListSchema, MapSchema } from "../../api/schema/field-schema.ts";
import { type FieldSet, LEAF, NO_FIELDS, nodeOf } from "./field-set.ts";
import { fieldElement, itemElement } from "./path-element.ts";
import { formOf, isEmptyMap, listOf, mapOf, schemaOfKey } from "./value.ts";

export function toFieldSet(schema: FieldSchema, value: Json): FieldSet {
  return visit(schema, value).children;
}

interface Visited {
  /** Whether the path itself is owned, as far as the value shows. */
  readonly member: boolean;
  readonly children: FieldSet;
}

const OWNED: Visited = { member: true, children: NO_FIELDS };

function visit(schema: FieldSchema, value: Json): Visited {
  const form = formOf(schema, value);
  switch (form.kind) {
    case "scalar":
      return OWNED;
    case "list":
      if (form.relation === "atomic") return OWNED;
      return { member: false, children: visitItems(form, listOf(value) ?? []) };
    case "map":
      if (form.isAtomic) return OWNED;
      return { member: false, children: visitKeys(form, mapOf(value) ?? {}) };
  }
}

/** Duplicate items are owned as a whole. */
function visitItems(list: ListSchema, items: readonly Json[]): FieldSet {
  const out: { [element: string]: FieldSet } = {};
  const seen = new Set<string>();
  for (const item of items) {
    const element = itemElement(list, item);
    out[element] = seen.has(element)
      ? LEAF
      : (nodeOf(true, visit(list.element(), item).children) ?? LEAF);
    seen.add(element);
  }
  return out;
}

/** A struct is owned through its fields, a map key by itself. */
function visitKeys(map: MapSchema, value: { readonly [key: string]: Json }): FieldSet {
  const out: { [element: string]: FieldSet } = {};
  for (const key in value) {
    const schema = schemaOfKey(map, key);
    const item = value[key];
    if (schema === undefined || item === undefined) continue;
    const { member, children } = visit(schema, item);
    const isOwned = member || item === null || isEmptyMap(item) || map.field(key) === undefined;
    const node = nodeOf(isOwned, children);
    if (node !== undefined) out[fieldElement(key)] = node;
  }
  return out;
}
