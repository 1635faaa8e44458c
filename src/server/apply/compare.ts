/**
 * Pure: which fields were added, modified or removed between two states of an object. Parts that
 * both states share by reference are skipped.
 */
import type { Json } from "../../api/object.ts";
import type { FieldSchema, ListSchema, MapSchema } from "../../api/schema/field-schema.ts";
import { type FieldSet, LEAF, NO_FIELDS, nodeOf, union } from "./field-set.ts";
import { fieldElement, itemElement } from "./path-element.ts";
import { equalValues, type Form, formOf, isBare, listOf, mapOf, schemaOfKey } from "./value.ts";

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

export function compare(schema: FieldSchema, before: Json, after: Json): Comparison {
  const { added, modified, removed } = visit(schema, before, after);
  return {
    added: added ?? NO_FIELDS,
    modified: modified ?? NO_FIELDS,
    removed: removed ?? NO_FIELDS,
  };
}

/** The nodes of one path in the three sets. */
interface Changes {
  readonly added?: FieldSet | undefined;
  readonly modified?: FieldSet | undefined;
  readonly removed?: FieldSet | undefined;
}

const SAME: Changes = {};

/** Undefined means absent; at least one of the two is present. */
function visit(schema: FieldSchema, before: Json | undefined, after: Json | undefined): Changes {
  if (before === after) return SAME;
  const [old, next] = [formOf(schema, before), formOf(schema, after)];
  if (after === undefined) return visitForm(old, before, after);
  if (before === undefined || old === next) return visitForm(next, before, after);
  const [one, other] = [visitForm(old, before, after), visitForm(next, before, after)];
  return {
    added: join(one.added, other.added),
    modified: join(one.modified, other.modified),
    removed: join(one.removed, other.removed),
  };
}

function join(one: FieldSet | undefined, other: FieldSet | undefined): FieldSet | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return union({ node: one }, { node: other })["node"];
}

function visitForm(form: Form, before: Json | undefined, after: Json | undefined): Changes {
  switch (form.kind) {
    case "scalar":
      return leaf(before, after);
    case "list": {
      const [old, next] = [listOf(before), listOf(after)];
      if (form.relation === "atomic" || (isBare(old) && isBare(next))) return leaf(before, after);
      return self(before, after, visitItems(form, old ?? [], next ?? []));
    }
    case "map": {
      const [old, next] = [mapOf(before), mapOf(after)];
      if (form.isAtomic || (isBare(old) && isBare(next))) return leaf(before, after);
      return self(before, after, visitKeys(form, old ?? NO_KEYS, next ?? NO_KEYS));
    }
  }
}

function leaf(before: Json | undefined, after: Json | undefined): Changes {
  if (before === undefined) return { added: LEAF };
  if (after === undefined) return { removed: LEAF };
  return equalValues(before, after) ? SAME : { modified: LEAF };
}

/**
 * If a list or map is added or removed as a whole, its own path is recorded in addition to its
 * parts.
 */
function self(
  before: Json | undefined,
  after: Json | undefined,
  { added, modified, removed }: Gathered,
): Changes {
  return {
    added: nodeOf(before === undefined, added),
    modified: nodeOf(false, modified),
    removed: nodeOf(before !== undefined && after === undefined, removed),
  };
}

interface Gathered {
  readonly added: { [element: string]: FieldSet };
  readonly modified: { [element: string]: FieldSet };
  readonly removed: { [element: string]: FieldSet };
}

function gather(into: Gathered, element: string, { added, modified, removed }: Changes): void {
  if (added !== undefined) into.added[element] = added;
  if (modified !== undefined) into.modified[element] = modified;
  if (removed !== undefined) into.removed[element] = removed;
}

type Fields = { readonly [key: string]: Json };

const NO_KEYS: Fields = {};

function visitKeys(map: MapSchema, before: Fields, after: Fields): Gathered {
  const gathered: Gathered = { added: {}, modified: {}, removed: {} };
  const look = (key: string) => {
    const [old, next] = [own(before, key), own(after, key)];
    if (old === next) return;
    const schema = schemaOfKey(map, key);
    if (schema !== undefined) gather(gathered, fieldElement(key), visit(schema, old, next));
  };
  for (const key in before) look(key);
  if (before === NO_KEYS) for (const key in after) look(key);
  else for (const key in after) if (!Object.hasOwn(before, key)) look(key);
  return gathered;
}

function own(fields: Fields, key: string): Json | undefined {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

function visitItems(list: ListSchema, before: readonly Json[], after: readonly Json[]): Gathered {
  const gathered: Gathered = { added: {}, modified: {}, removed: {} };
  const [old, next] = [byElement(list, before), byElement(list, after)];
  for (const element of new Set([...old.keys(), ...next.keys()])) {
    const [mine, theirs] = [old.get(element) ?? [], next.get(element) ?? []];
    gather(gathered, element, compareItems(list.element(), mine, theirs));
  }
  return gathered;
}

/**
 * If a list contains an item twice, although it should not, the duplicates are treated as one unit.
 */
function compareItems(
  element: FieldSchema,
  before: readonly Json[],
  after: readonly Json[],
): Changes {
  if (before.length <= 1 && after.length <= 1) return visit(element, before[0], after[0]);
  if (before.length >= 2 && after.length >= 2) {
    return equalValues([...before], [...after]) ? SAME : { modified: LEAF };
  }
  if (before.length >= 2) {
    const changes = after.length === 0 ? SAME : visit(element, undefined, after[0]);
    return { ...changes, removed: LEAF };
  }
  const changes = before.length === 0 ? SAME : visit(element, before[0], undefined);
  return { ...changes, added: LEAF };
}

function byElement(list: ListSchema, items: readonly Json[]): Map<string, Json[]> {
  const found = new Map<string, Json[]>();
  for (const item of items) {
    const element = itemElement(list, item);
    const same = found.get(element);
    if (same === undefined) found.set(element, [item]);
    else same.push(item);
  }
  return found;
}
