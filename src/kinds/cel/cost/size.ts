/** Pure: how large a value may be, and how the schema of an object limits that. */
import type { Type } from "../types.ts";
import { type Path, stepsOf } from "./path.ts";

/** The length of a string, or the number of entries of a list or a map. */
export interface Size {
  readonly min: number;
  readonly max: number;
}

/** The sizes of the entries of a list or a map: the index or key, and the value. */
export interface EntrySize {
  readonly container: "list" | "map";
  readonly key: Size;
  readonly value: Size;
}

/** How large a value described by a schema can be, as far as the schema limits it. */
export interface Bounds {
  readonly max: number;
  /** The minimum number of bytes as JSON. */
  readonly minBytes: number;
  /** By the name used in expressions. */
  readonly fields?: ReadonlyMap<string, Bounds>;
  readonly element?: Bounds;
  readonly key?: Bounds;
}

/** Costs are capped here, at the largest number of Kubernetes' counter. */
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

/** The cost per unit of size; fractions are rounded up. */
export function perUnit(size: number, factor: number): number {
  return limited(Math.ceil(size * factor));
}

/** The path starts with a variable. All variables have the type that the bounds describe. */
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

/** Undefined if the size depends on the value. */
export function sizeOfType(type: Type): Size | undefined {
  if (type.kind === "optional") return type.of?.[0] && sizeOfType(type.of[0]);
  return SCALARS.has(type.kind) ? ONE : undefined;
}
