/** Pure: JSON merge patch (RFC 7386), with the special cases of the library Kubernetes uses. */
import type { Json } from "../../api/object.ts";
import { isObject, type JsonObject } from "./go-value.ts";

/**
 * The document with the patch merged in; neither is modified. Patched objects get sorted keys, as
 * Go writes them: errors about unknown fields appear in that order.
 */
export function mergePatch(document: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(document));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, merge(merged.get(key), value));
  }
  return fromSorted([...merged]);
}

function fromSorted(entries: [string, Json][]): JsonObject {
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function merge(current: Json | undefined, value: Json): Json {
  if (!isObject(current)) return withoutNulls(value);
  return isObject(value) ? mergePatch(current, value) : value;
}

/**
 * If the old value was not an object, there is nothing that a null could delete. Lists keep nulls.
 */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, item]) => item !== null);
  return fromSorted(kept.map(([key, item]) => [key, withoutNulls(item)]));
}
