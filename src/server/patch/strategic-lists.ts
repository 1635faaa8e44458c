/** Pure: merges two lists in a strategic merge patch, and orders the elements of the result. */
import type { Json } from "../../api/object.ts";
import {
  formatGoValue,
  type GoKind,
  goKind,
  goType,
  isObject,
  type JsonObject,
} from "./go-value.ts";
import { badPatch, unprocessable } from "./patch-errors.ts";

/** Merges one element of the patch into the element with the same key. */
export type MergeElement = (original: JsonObject, patch: JsonObject) => JsonObject;

/**
 * Merges the elements of the patch into those of the original. Without a merge key the elements are
 * scalars and the lists are sets.
 */
export function mergeLists(
  original: readonly Json[],
  patch: readonly Json[],
  mergeKey: string,
  mergeElement: MergeElement,
): Json[] {
  if (original.length === 0 && patch.length === 0) return [];
  if (elementKind(original, patch) !== "map") {
    const merged = [...new Set([...original, ...patch])];
    return orderElements({ merged, patchOrder: patch, serverOrder: original, mergeKey: "" });
  }
  if (mergeKey === "") throw badPatch("cannot merge lists without merge key for struct");
  const { server, plain } = applyDirectives(original, patch, mergeKey);
  const merged = mergeByKey(server, plain, mergeKey, mergeElement);
  return orderElements({ merged, patchOrder: plain, serverOrder: server, mergeKey });
}

/** The original without the listed scalars. */
export function deleteFromList(original: readonly Json[], listed: readonly Json[]): Json[] {
  if (original.length === 0 && listed.length === 0) return [];
  elementKind(original, listed);
  const unwanted = new Set(listed);
  return original.filter((item) => !unwanted.has(item));
}

export interface Ordering {
  readonly merged: readonly Json[];
  /** The elements in the patch, in the requested order. */
  readonly patchOrder: readonly Json[];
  /** The elements that the object had, in their order. */
  readonly serverOrder: readonly Json[];
  readonly mergeKey: string;
}

/**
 * Elements of the patch keep the order of the patch, the others the order of the server. When both
 * lists are merged, a server element goes before an element of the patch only if it preceded it
 * before: a new element of the patch therefore precedes the untouched ones.
 */
export function orderElements({ merged, patchOrder, serverOrder, mergeKey }: Ordering): Json[] {
  const identity = identityBy(mergeKey);
  const patchPlaces = placesOf(patchOrder, identity);
  const serverPlaces = placesOf(serverOrder, identity);
  const isPatched = (item: Json): boolean => patchPlaces.has(identity(item));
  const patched = sortBy(merged.filter(isPatched), (item) => patchPlaces.get(identity(item)));
  const others = sortBy(
    merged.filter((item) => !isPatched(item)),
    (item) => serverPlaces.get(identity(item)),
  );
  const ordered: Json[] = [];
  let next = 0;
  for (const item of patched) {
    const limit = serverPlaces.get(identity(item)) ?? -1;
    for (; next < others.length; next++) {
      const other = others[next] ?? null;
      if ((serverPlaces.get(identity(other)) ?? limit) >= limit) break;
      ordered.push(other);
    }
    ordered.push(item);
  }
  return [...ordered, ...others.slice(next)];
}

/** The kind that all elements share. */
export function elementKind(original: readonly Json[], patch: readonly Json[]): GoKind {
  const [kind, ...others] = new Set([...original, ...patch].map(goKind));
  if (kind === undefined) throw badPatch("no elements in any of the given slices");
  if (kind === "slice") throw unprocessable();
  if (others.length === 0) return kind;
  const shown = formatGoValue([[...original], [...patch]]);
  throw badPatch(`list element types are not identical: ${shown}`);
}

/** The merge key of an element, which every object in a merged list must have. */
export function mergeKeyOf(item: Json, mergeKey: string): Json {
  if (!isObject(item)) {
    throw badPatch(`expected a map[string]interface {}, but received a ${goType(item)}`);
  }
  if (!Object.hasOwn(item, mergeKey)) {
    throw badPatch(`map: ${formatGoValue(item)} does not contain declared merge key: ${mergeKey}`);
  }
  return item[mergeKey] ?? null;
}

/** Executes elements with a "$patch" directive, and returns the remaining elements. */
function applyDirectives(
  original: readonly Json[],
  patch: readonly Json[],
  mergeKey: string,
): { server: readonly Json[]; plain: readonly Json[] } {
  const deleted = new Set<Json | undefined>();
  let isReplaced = false;
  const plain: Json[] = [];
  for (const item of patch) {
    const directive = isObject(item) ? item["$patch"] : undefined;
    if (directive === undefined) {
      plain.push(item);
    } else if (directive === "delete") {
      deleted.add(mergeKeyOf(item, mergeKey));
    } else if (directive === "replace") {
      isReplaced = true;
    } else if (directive === "merge") {
      throw badPatch("merging lists cannot yet be specified in the patch");
    } else {
      throw badPatch(unknownDirective(directive, item));
    }
  }
  if (isReplaced) return { server: plain, plain: [] };
  const isKept = (each: Json) => !isObject(each) || !deleted.has(each[mergeKey]);
  return { server: original.filter(isKept), plain };
}

export function unknownDirective(directive: Json, holder: Json): string {
  return `unknown patch type: ${formatGoValue(directive)} in map: ${formatGoValue(holder)}`;
}

function mergeByKey(
  server: readonly Json[],
  patch: readonly Json[],
  mergeKey: string,
  mergeElement: MergeElement,
): Json[] {
  const merged = [...server];
  let places = firstPlaces(merged, mergeKey);
  for (const item of patch) {
    const key = mergeKeyOf(item, mergeKey);
    const place = places.get(key) ?? -1;
    const found = merged[place];
    if (isObject(found) && isObject(item)) {
      const element = mergeElement(found, item);
      merged[place] = element;
      // A directive in the patch can remove the key.
      if (element[mergeKey] !== key) places = firstPlaces(merged, mergeKey);
    } else {
      places.set(key, merged.push(item) - 1);
    }
  }
  return merged;
}

/** The position of the first element with each key. */
function firstPlaces(list: readonly Json[], mergeKey: string): Map<Json | undefined, number> {
  const places = new Map<Json | undefined, number>();
  for (const [place, item] of list.entries()) {
    const key = isObject(item) ? item[mergeKey] : undefined;
    if (key !== undefined && !places.has(key)) places.set(key, place);
  }
  return places;
}

function identityBy(mergeKey: string): (item: Json) => Json {
  return mergeKey === "" ? (item) => item : (item) => mergeKeyOf(item, mergeKey);
}

function placesOf(list: readonly Json[], identity: (item: Json) => Json): Map<Json, number> {
  const places = new Map<Json, number>();
  for (const [place, item] of list.entries()) {
    if (!places.has(identity(item))) places.set(identity(item), place);
  }
  return places;
}

function sortBy(list: readonly Json[], place: (item: Json) => number | undefined): Json[] {
  return [...list].sort((one, other) => (place(one) ?? 0) - (place(other) ?? 0));
}
