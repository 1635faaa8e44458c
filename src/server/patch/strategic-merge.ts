/**
 * Pure: strategic merge patch. The patch looks like the object; the schema tables define which
 * lists are merged and by which key, and directives ("$patch" and others) define the rest. The
 * order of the steps within an object is that of Kubernetes, because each step sees the results of
 * earlier ones:
 * $patch, $retainKeys, $setElementOrder with its list, then field by field.
 */
import type { Json } from "../../api/object.ts";
import { setOwn } from "../../api/schema/parsed-json.ts";
import { formatGoValue, goKind, goType, isObject, type JsonObject } from "./go-value.ts";
import { badPatch } from "./patch-errors.ts";
import { factsOfList, factsOfObject, type MergeFacts } from "./strategic-facts.ts";
import {
  deleteFromList,
  elementKind,
  mergeKeyOf,
  mergeLists,
  orderElements,
  unknownDirective,
} from "./strategic-lists.ts";

const PATCH = "$patch";
const RETAIN_KEYS = "$retainKeys";
const SET_ELEMENT_ORDER = "$setElementOrder";
const DELETE_FROM_PRIMITIVE_LIST = "$deleteFromPrimitiveList";

/**
 * The document with the patch merged in. The document is not modified and shares unchanged parts
 * with the result. The patch is consumed: Kubernetes shows its remainder in later errors. `type` is
 * a reference into the schema tables.
 */
export function strategicMerge(document: JsonObject, patch: JsonObject, type: string): JsonObject {
  const directive = patch[PATCH];
  if (Object.hasOwn(patch, PATCH)) return obey(directive ?? null, patch);
  const original = { ...document };
  retainKeys(original, patch);
  setElementOrders(original, patch, type);
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(DELETE_FROM_PRIMITIVE_LIST)) {
      deleteScalars(original, listNamedBy(key, DELETE_FROM_PRIMITIVE_LIST), value);
    } else {
      mergeField(original, key, value, type);
    }
  }
  return original;
}

function obey(directive: Json, patch: JsonObject): JsonObject {
  if (directive === "delete") return {};
  if (directive !== "replace") throw badPatch(unknownDirective(directive, patch));
  delete patch[PATCH];
  return patch;
}

/** Keeps only the listed keys, which must include everything that the patch sets. */
function retainKeys(original: JsonObject, patch: JsonObject): void {
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return;
  const listed = patch[RETAIN_KEYS];
  delete patch[RETAIN_KEYS];
  const malformed = "invalid patch format of retainKeys";
  if (!Array.isArray(listed)) throw badPatch(malformed);
  const retained = new Set<Json>(listed);
  for (const [key, value] of Object.entries(patch)) {
    const isSet = value !== null && !isListDirective(key);
    if (isSet && !retained.has(key)) throw badPatch(malformed);
  }
  for (const key of Object.keys(original)) if (!retained.has(key)) delete original[key];
}

function isListDirective(key: string): boolean {
  return key.startsWith(DELETE_FROM_PRIMITIVE_LIST) || key.startsWith(SET_ELEMENT_ORDER);
}

/** "finalizers" from "$setElementOrder/finalizers". */
function listNamedBy(key: string, directive: string): string {
  if (key.startsWith(`${directive}/`)) return key.slice(directive.length + 1);
  const what = directive === SET_ELEMENT_ORDER ? "setElementOrder list" : "primitive list";
  throw badPatch(`invalid patch format of ${what}`);
}

function setElementOrders(original: JsonObject, patch: JsonObject, type: string): void {
  for (const [key, order] of Object.entries(patch)) {
    if (!key.startsWith(SET_ELEMENT_ORDER)) continue;
    delete patch[key];
    const elements = listOf(order);
    const field = listNamedBy(key, SET_ELEMENT_ORDER);
    setElementOrder(original, patch, { field, order: elements, type });
  }
}

interface ElementOrder {
  readonly field: string;
  readonly order: readonly Json[];
  /** The type of the object that contains the list. */
  readonly type: string;
}

/** Merges the list now, because the order refers to the result. */
function setElementOrder(
  original: JsonObject,
  patch: JsonObject,
  { field, order, type }: ElementOrder,
): void {
  const server = Object.hasOwn(original, field) ? listOf(original[field] ?? null) : undefined;
  const patched = Object.hasOwn(patch, field) ? listOf(patch[field] ?? null) : undefined;
  const facts = factsOfList(type, field);
  checkOrder(patched ?? [], order, facts.mergeKey);
  if (server === undefined && patched === undefined) return;
  const merged = mergeListField(server, patched, facts);
  elementKind(server ?? [], patched ?? []);
  const { mergeKey } = facts;
  original[field] = orderElements({
    merged,
    patchOrder: order,
    serverOrder: server ?? [],
    mergeKey,
  });
  delete patch[field];
}

function mergeListField(
  server: Json[] | undefined,
  patched: Json[] | undefined,
  facts: MergeFacts,
): Json[] {
  if (patched === undefined) return server ?? [];
  if (server === undefined) return withoutDirectives(patched);
  return mergeListValues(server, patched, facts);
}

function listOf(value: Json): Json[] {
  if (Array.isArray(value)) return value;
  throw badPatch(`expected a []interface {}, but received a ${goType(value)}`);
}

/** The elements that the patch sets must be in the order list, in the same order. */
function checkOrder(patched: readonly Json[], order: readonly Json[], mergeKey: string): void {
  if (patched.length === 0 || order.length === 0) return;
  const identity = (item: Json): Json => (mergeKey === "" ? item : mergeKeyOf(item, mergeKey));
  const plain = patched.filter((item) => !isObject(item) || !Object.hasOwn(item, PATCH));
  let place = 0;
  for (const item of plain) {
    while (place < order.length && identity(order[place] ?? null) !== identity(item)) place++;
    if (place++ < order.length) continue;
    const [given, wanted] = [patched, order].map((list) => formatGoValue([...list]));
    const mismatch = `doesn't match ${SET_ELEMENT_ORDER} list:\n${wanted}\n`;
    throw badPatch(`The order in patch list:\n${given}\n ${mismatch}`);
  }
}

function deleteScalars(original: JsonObject, field: string, listed: Json): void {
  if (listed === null) delete original[field];
  const current = Object.hasOwn(original, field) ? original[field] : undefined;
  if (!Array.isArray(current) || !Array.isArray(listed)) return;
  original[field] = deleteFromList(current, listed);
}

function mergeField(original: JsonObject, key: string, value: Json, type: string): void {
  if (value === null) {
    delete original[key];
    return;
  }
  const current = Object.hasOwn(original, key) ? original[key] : undefined;
  const merged = mergeValue(current, value, { parent: type, field: key });
  if (merged === undefined) delete original[key];
  else setOwn(original, key, merged);
}

function mergeValue(
  current: Json | undefined,
  value: Json,
  { parent, field }: { readonly parent: string; readonly field: string },
): Json | undefined {
  if (isObject(current) && isObject(value)) {
    const facts = factsOfObject(parent, field);
    return facts.strategy === "replace" ? value : strategicMerge(current, value, facts.type);
  }
  if (Array.isArray(current) && Array.isArray(value)) {
    return mergeListValues(current, value, factsOfList(parent, field));
  }
  if (goKind(current) !== goKind(value)) discardNulls(value);
  return withoutDirective(value);
}

function mergeListValues(server: Json[], patched: Json[], facts: MergeFacts): Json[] {
  if (facts.strategy !== "merge") return patched;
  return mergeLists(server, patched, facts.mergeKey, (element, patch) =>
    strategicMerge(element, patch, facts.type),
  );
}

/** A value that the object did not have is used as it is, except that its nulls are removed. */
function discardNulls(value: Json): void {
  if (Array.isArray(value)) {
    for (const item of value) discardNulls(item);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (item === null) delete value[key];
      else discardNulls(item);
    }
  }
}

/** Undefined for an object that only contains a directive about an absent object. */
function withoutDirective(value: Json): Json | undefined {
  if (Array.isArray(value)) return withoutDirectives(value);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, PATCH)) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const kept = withoutDirective(item);
    if (kept === undefined) delete value[key];
    else setOwn(value, key, kept);
  }
  return value;
}

function withoutDirectives(list: readonly Json[]): Json[] {
  return list.map(withoutDirective).filter((item) => item !== undefined);
}
