/** Pure: path elements as FieldsV1 writes them, and as messages show them. */
import type { Json } from "../../api/object.ts";
import type { ListSchema } from "../../api/schema/field-schema.ts";
import { below, type FieldSet, isMember, LEAF } from "./field-set.ts";

export function fieldElement(name: string): string {
  return `f:${name}`;
}

/** The identity of an item of a set or of a list with keys; throws if it cannot be determined. */
export function itemElement(list: ListSchema, item: Json): string {
  return list.relation === "set" ? valueElement(item) : keyElement(list, item);
}

export class ElementError extends Error {
  override readonly name = "ElementError";
}

function valueElement(item: Json): string {
  if (item === null) {
    throw new ElementError("associative list without keys has an element that's an explicit null");
  }
  if (Array.isArray(item)) {
    throw new ElementError("not supported: associative list with lists as elements");
  }
  if (typeof item === "object") {
    throw new ElementError("associative list without keys has an element that's a map type");
  }
  return `v:${JSON.stringify(item)}`;
}

function keyElement(list: ListSchema, item: Json): string {
  if (item === null) {
    throw new ElementError("associative list with keys may not have a null element");
  }
  if (typeof item !== "object" || Array.isArray(item)) {
    throw new ElementError("associative list with keys may not have non-map elements");
  }
  const keys: { [name: string]: Json } = {};
  for (const { name, default: missing } of list.keys) {
    const value = item[name] === undefined ? missing : item[name];
    if (value === undefined) {
      const problem = `an element that omits key field ${JSON.stringify(name)}`;
      throw new ElementError(
        `associative list with keys has ${problem} (and doesn't have default value)`,
      );
    }
    keys[name] = value;
  }
  return `k:${JSON.stringify(keys)}`;
}

/** The element in canonical form; undefined for unknown element types. */
export function parseElement(text: string): string | undefined {
  switch (text.slice(0, 2)) {
    case "f:":
      return text;
    case "v:":
      return `v:${JSON.stringify(parseOf(text))}`;
    case "i:":
      if (!/^i:-?[0-9]+$/.test(text)) throw new ElementError(`not an index: ${text}`);
      return text;
    case "k:": {
      const keys = parseOf(text);
      if (typeof keys !== "object" || keys === null || Array.isArray(keys)) {
        throw new ElementError(`not a map of keys: ${text}`);
      }
      const sorted = Object.entries(keys).sort(([one], [other]) => (one < other ? -1 : 1));
      return `k:${JSON.stringify(Object.fromEntries(sorted))}`;
    }
    default:
      return undefined;
  }
}

function parseOf(text: string): Json {
  try {
    return JSON.parse(text.slice(2)) as Json;
  } catch (cause) {
    throw new ElementError(`not JSON: ${text}`, { cause });
  }
}

/** `.spec.containers[name="c"].args` */
export function formatPath(path: readonly string[]): string {
  return path.map(formatElement).join("");
}

export function formatElement(element: string): string {
  const rest = element.slice(2);
  switch (element.slice(0, 2)) {
    case "f:":
      return `.${rest}`;
    case "v:":
      return `[=${rest}]`;
    case "k:": {
      const keys = Object.entries(JSON.parse(rest) as { [name: string]: Json });
      return `[${keys.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(",")}]`;
    }
    default:
      return `[${rest}]`;
  }
}

/** The members of a set in Kubernetes' order: those of a level before those below it. */
export function pathsOf(set: FieldSet, prefix: readonly string[] = []): string[][] {
  const elements = Object.keys(set).sort(compareElements);
  const members = elements.filter((element) => isMember(set[element] ?? {}));
  return [
    ...members.map((element) => [...prefix, element]),
    ...elements.flatMap((element) => pathsOf(below(set[element] ?? {}), [...prefix, element])),
  ];
}

/** The same set with its elements sorted, as it is written. */
export function sortedSet(set: FieldSet): FieldSet {
  const elements = Object.keys(set);
  if (elements.length === 0) return LEAF;
  if (isSorted(elements)) return withSortedNodes(set, elements);
  // Most elements are fields, which are already ordered correctly as plain texts.
  if (elements.every((element) => element < "g")) elements.sort();
  else elements.sort(compareElements);
  const out: { [element: string]: FieldSet } = {};
  for (const element of elements) out[element] = sortedSet(set[element] ?? LEAF);
  return out;
}

/** As most are, because objects come from the decoder with their keys in order. */
function isSorted(elements: readonly string[]): boolean {
  let before = "";
  for (const element of elements) {
    if (element >= "g" || element < before) return false;
    before = element;
  }
  return true;
}

/** The set itself, if what is below its elements is in order as well. */
function withSortedNodes(set: FieldSet, elements: readonly string[]): FieldSet {
  let out: { [element: string]: FieldSet } | undefined;
  for (const [at, element] of elements.entries()) {
    const node = set[element] ?? LEAF;
    const sorted = sortedSet(node);
    if (sorted !== node && out === undefined) {
      out = {};
      for (const earlier of elements.slice(0, at)) out[earlier] = set[earlier] ?? LEAF;
    }
    if (out) out[element] = sorted;
  }
  return out ?? set;
}

const ORDER = ".fkvi";

export function compareElements(one: string, other: string): number {
  const [mine, theirs] = [one.charAt(0), other.charAt(0)];
  if (mine !== theirs) return ORDER.indexOf(mine) - ORDER.indexOf(theirs);
  if (mine === "k") return compareKeys(one, other);
  if (mine === "v") return compareValues(parseOf(one), parseOf(other));
  if (mine === "i") return Number(one.slice(2)) - Number(other.slice(2));
  return compareTexts(one, other);
}

function compareKeys(one: string, other: string): number {
  const mine = Object.entries(parseOf(one) as { [name: string]: Json });
  const theirs = Object.entries(parseOf(other) as { [name: string]: Json });
  for (const [index, [name, value]] of mine.entries()) {
    const [otherName, otherValue] = theirs[index] ?? [];
    if (otherName === undefined || otherValue === undefined) return 1;
    const order = compareTexts(name, otherName) || compareValues(value, otherValue);
    if (order !== 0) return order;
  }
  return mine.length - theirs.length;
}

function compareValues(one: Json, other: Json): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  if (typeof one === "string" && typeof other === "string") return compareTexts(one, other);
  return compareTexts(JSON.stringify(one), JSON.stringify(other));
}

function compareTexts(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
