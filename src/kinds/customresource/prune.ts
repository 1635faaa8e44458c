/** Pure: removes fields that a schema does not know, and reports them. */
import type { Json } from "../../api/object.ts";
import { setOwn } from "../../api/schema/parsed-json.ts";
import {
  additionalOf,
  childPath,
  isEmbedded,
  isObject,
  itemsOf,
  keepsUnknown,
  propertyOf,
  type Schema,
} from "./schema.ts";

export interface Pruned {
  readonly value: Json;
  /** "spec.items[0].foo", sorted. */
  readonly unknown: readonly string[];
}

/** Returns a copy that shares nothing with the value. Keys are sorted, as Go prints maps. */
export function prune(value: Json, schema: Schema, isResource = true): Pruned {
  const unknown: string[] = [];
  const root = { schema, keeps: keepsUnknown(schema), isResource };
  const copy = pruned(value, root, "", unknown);
  return { value: copy, unknown: unknown.sort() };
}

interface Place {
  /** Absent if nothing is specified for the value; then no fields of an object are kept. */
  readonly schema: Schema | undefined;
  /** Whether fields are kept that the schema does not name. */
  readonly keeps: boolean;
  /** Whether it has the fields kind, apiVersion and metadata. */
  readonly isResource: boolean;
}

const RESOURCE_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);
const EVERYTHING: Place = { schema: undefined, keeps: true, isResource: false };

function pruned(value: Json, place: Place, path: string, unknown: string[]): Json {
  if (Array.isArray(value)) {
    const item = place.schema && itemsOf(place.schema);
    const inner = item ? placeOf(item) : { ...EVERYTHING, keeps: place.keeps };
    return value.map((each, at) => pruned(each, inner, childPath(path, at), unknown));
  }
  if (!isObject(value)) return value;
  const copy: { [key: string]: Json } = {};
  for (const key of Object.keys(value).sort()) {
    const at = childPath(path, key);
    const inner = fieldPlace(place, key);
    if (inner) setOwn(copy, key, pruned(value[key] ?? null, inner, at, unknown));
    else unknown.push(at);
  }
  return copy;
}

function placeOf(schema: Schema): Place {
  return { schema, keeps: keepsUnknown(schema), isResource: isEmbedded(schema) };
}

/** Undefined if the field is not kept. */
function fieldPlace({ schema, keeps, isResource }: Place, key: string): Place | undefined {
  if (isResource && RESOURCE_FIELDS.has(key)) return EVERYTHING;
  const property = schema && propertyOf(schema, key);
  if (property) return placeOf(property);
  const additional = schema && additionalOf(schema);
  if (typeof additional === "object") return placeOf(additional);
  if (keeps) return EVERYTHING;
  return additional ? { schema: undefined, keeps: false, isResource: false } : undefined;
}
