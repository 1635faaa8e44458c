/** The common shape of API objects, and the mutable view of one that is being built. */
import type { ObjectMeta } from "./generated/meta.ts";

export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/**
 * The same shape, but writable: an object between decoding and commit, owned by one request. The
 * store never holds drafts: its objects are shared by reference, and frozen in tests.
 */
export type Draft<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? Draft<Item>[]
    : { -readonly [Key in keyof T]: Draft<T[Key]> };

/** JSON as parsed, before its shape is known. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/**
 * Marks a part of the old state that is kept unchanged. It is shared, so it must not be written to.
 */
export function kept<T>(value: T): Draft<T> {
  return value as Draft<T>;
}

/** A writable copy that shares nothing with the original. */
export function draftOf<T>(value: T): Draft<T> {
  return copy(value) as Draft<T>;
}

const PLAIN = { configurable: true, enumerable: true, writable: true } as const;

function copy(value: unknown): unknown {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(copy);
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const own = copy((value as Record<string, unknown>)[key]);
    // A ConfigMap may have a key "__proto__", which an assignment would take for the prototype.
    if (key === "__proto__") Object.defineProperty(out, key, { ...PLAIN, value: own });
    else out[key] = own;
  }
  return out;
}
