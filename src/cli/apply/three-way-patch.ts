/**
 * Pure: what to change so that an object is as its manifest says, and nothing else: fields that
 * were in the manifest applied before and are gone now are removed, those that somebody else set
 * stay. The lists of known kinds are merged by the keys of their items (strategic merge); those of
 * other kinds are replaced.
 */
import { isEqual } from "../../api/equal.ts";
import { jsonFields, parseType } from "../../api/schema/tables.ts";

export type Value = unknown;

export interface Fields {
  readonly [key: string]: Value;
}

export interface ThreeStates {
  /** As applied the last time; absent where nobody did. */
  readonly original: Value;
  /** As it is to be. */
  readonly modified: Value;
  /** As it is. */
  readonly current: Value;
}

/** The message of a known kind; absent, the patch is a JSON merge patch. */
export function threeWayPatch(states: ThreeStates, message?: string): Fields {
  return objectPatch(states, message ?? "");
}

export function isEmptyPatch(patch: Fields): boolean {
  return Object.keys(patch).length === 0;
}

function objectPatch(states: ThreeStates, type: string): Fields {
  const original = fieldsOf(states.original);
  const modified = fieldsOf(states.modified);
  const current = fieldsOf(states.current);
  const patch: Record<string, Value> = {};
  for (const key of Object.keys(original)) if (!(key in modified)) patch[key] = null;
  for (const [key, value] of Object.entries(modified)) {
    const own = { original: original[key], modified: value, current: current[key] };
    Object.assign(patch, fieldPatch(key, own, factsOf(type, key)));
  }
  return patch;
}

interface FieldFacts {
  /** Empty where nothing is known. */
  readonly type: string;
  readonly strategies: readonly string[];
  readonly mergeKey: string;
}

function factsOf(type: string, key: string): FieldFacts {
  const reference = type === "" ? undefined : parseType(type);
  if (reference?.kind === "map") return { type: reference.element, strategies: [], mergeKey: "" };
  const facts = reference?.kind === "message" ? jsonFields(reference.name).get(key) : undefined;
  return {
    type: facts?.type ?? "",
    strategies: (facts?.strategy ?? "").split(","),
    mergeKey: facts?.mergeKey ?? "",
  };
}

function fieldPatch(key: string, states: ThreeStates, facts: FieldFacts): Fields {
  const { modified, current } = states;
  if (isObject(modified) && isObject(current)) {
    if (facts.strategies.includes("replace")) {
      return isEqual(modified, current) ? {} : { [key]: { ...modified, $patch: "replace" } };
    }
    const patch = retained(objectPatch(states, facts.type), modified, facts);
    return isEmptyPatch(patch) ? {} : { [key]: patch };
  }
  const isMerged = facts.strategies.includes("merge") && Array.isArray(modified);
  if (isMerged && Array.isArray(current)) return listPatch(key, states, facts);
  return isEqual(modified, current) ? {} : { [key]: modified };
}

/** Of fields that exclude each other, those that are not named are to go. */
function retained(patch: Fields, modified: Fields, { strategies }: FieldFacts): Fields {
  if (isEmptyPatch(patch) || !strategies.includes("retainKeys")) return patch;
  return { ...patch, $retainKeys: Object.keys(modified).sort() };
}

function listPatch(key: string, states: ThreeStates, facts: FieldFacts): Fields {
  return facts.mergeKey === "" ? scalarListPatch(key, states) : keyedListPatch(key, states, facts);
}

function scalarListPatch(key: string, states: ThreeStates): Fields {
  const [original, modified, current] = listsOf(states);
  const added = modified.filter((item) => !current.includes(item));
  const removed = original.filter((item) => !modified.includes(item));
  if (added.length === 0 && removed.length === 0 && isInOrder(modified, current)) return {};
  return {
    [`$setElementOrder/${key}`]: modified,
    ...(added.length === 0 ? {} : { [key]: added }),
    ...(removed.length === 0 ? {} : { [`$deleteFromPrimitiveList/${key}`]: removed }),
  };
}

function keyedListPatch(key: string, states: ThreeStates, facts: FieldFacts): Fields {
  const { mergeKey } = facts;
  const [original, modified, current] = listsOf(states);
  const keyOf = (item: Value): Value => fieldsOf(item)[mergeKey];
  const find = (list: readonly Value[], name: Value): Value =>
    list.find((item) => keyOf(item) === name);
  // Without their keys items cannot be told apart: the list is then one value.
  if ([...modified, ...current].some((item) => keyOf(item) === undefined)) {
    return isEqual(modified, current) ? {} : { [key]: [...modified, { $patch: "replace" }] };
  }
  const itemType = facts.type.replace(/^\[\]/, "");
  const changed = modified.flatMap((item) => {
    const name = keyOf(item);
    const present = find(current, name);
    if (present === undefined) return [item];
    const own = { original: find(original, name), modified: item, current: present };
    const patch = retained(objectPatch(own, itemType), fieldsOf(item), facts);
    return isEmptyPatch(patch) ? [] : [{ ...patch, [mergeKey]: name }];
  });
  const removed = original
    .map(keyOf)
    .filter((name) => find(modified, name) === undefined)
    .map((name) => ({ $patch: "delete", [mergeKey]: name }));
  const order = modified.map(keyOf);
  const items = [...changed, ...removed];
  if (items.length === 0 && isInOrder(order, current.map(keyOf))) return {};
  return {
    [`$setElementOrder/${key}`]: order.map((name) => ({ [mergeKey]: name })),
    ...(items.length === 0 ? {} : { [key]: items }),
  };
}

function isInOrder(wanted: readonly Value[], present: readonly Value[]): boolean {
  const shared = present.filter((item) => wanted.includes(item));
  return isEqual(
    shared,
    wanted.filter((item) => present.includes(item)),
  );
}

function listsOf(states: ThreeStates): readonly [Value[], Value[], Value[]] {
  const { original, modified, current } = states;
  return [listOf(original), listOf(modified), listOf(current)];
}

function listOf(value: Value): Value[] {
  return Array.isArray(value) ? value : [];
}

function fieldsOf(value: Value): Fields {
  return isObject(value) ? value : {};
}

function isObject(value: Value): value is Fields {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
