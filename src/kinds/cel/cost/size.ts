/** Pure: how large a value may be, and what the schema of an object says of that. */
import type { Type } from "../types.ts";
import { type Path, stepsOf } from "./path.ts";

/** Of a string its length, of a list or a map how much it holds. */
export interface Size {
  readonly min: number;
  readonly max: number;
}

/** What is in a list or a map, where both are known: the place or key, and the value. */
export interface EntrySize {
  readonly container: "list" | "map";
  readonly key: Size;
  readonly value: Size;
}

/** How large what a schema describes can be, as far as it limits that. */
export interface Bounds {
  readonly max: number;
  /** The fewest bytes that it takes as JSON. */
  readonly minBytes: number;
  /** By the name an expression uses. */
  readonly fields?: ReadonlyMap<string, Bounds>;
  readonly element?: Bounds;
  readonly key?: Bounds;
}

/** Costs stop growing here: the largest number that Kubernetes counts to. */
export const MOST = 2 ** 64;

export const UNKNOWN: Size = { min: 0, max: MOST };
export const ONE: Size = { min: 1, max: 1 };

export function fixed(size: number): Size {
  return { min: size, max: size };
}

export function limited(cost: number): number {
  return Math.min(cost, MOST);
}

export function addSizes(one: Size, other: Size): Size {
  return { min: limited(one.min + other.min), max: limited(one.max + other.max) };
}

export function multiplySizes(one: Size, other: Size): Size {
  return { min: limited(one.min * other.min), max: limited(one.max * other.max) };
}

export function eitherSize(one: Size, other: Size): Size {
  return { min: Math.min(one.min, other.min), max: Math.max(one.max, other.max) };
}

export function eitherEntry(
  one: EntrySize | undefined,
  other: EntrySize | undefined,
): EntrySize | undefined {
  if (!one || !other) return undefined;
  return {
    container: one.container,
    key: eitherSize(one.key, other.key),
    value: eitherSize(one.value, other.value),
  };
}

/** Each unit of a size costs so much; parts of a cost count as a whole one. */
export function perUnit(size: number, factor: number): number {
  return limited(Math.ceil(size * factor));
}

/** The path begins with a variable, each of which is of the type that the bounds are of. */
export function boundOf(root: Bounds, path: Path): Size | undefined {
  if (path.length === 0) return undefined;
  let at: Bounds | undefined = root;
  for (const step of stepsOf(path).slice(1)) {
    if (step === "@items" || step === "@values") at = at.element;
    else if (step === "@keys") at = at.key;
    else at = at.fields?.get(step);
    if (at === undefined) return undefined;
  }
  return { min: 0, max: at.max };
}

const SCALARS: ReadonlySet<string> = new Set([
  "bool",
  "double",
  "duration",
  "int",
  "timestamp",
  "uint",
]);

/** Undefined where values of the type differ in size. */
export function sizeOfType(type: Type): Size | undefined {
  if (type.kind === "optional") return type.of?.[0] && sizeOfType(type.of[0]);
  return SCALARS.has(type.kind) ? ONE : undefined;
}
