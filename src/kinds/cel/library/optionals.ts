/** Pure: functions for optional values. */
import type { Library } from "../functions.ts";
import { CelError, Duration, Optional, Timestamp, Uint, type Value } from "../value.ts";

const NONE = new Optional();
const given = (value: unknown) => value as Optional;

function isZero(value: Value): boolean {
  if (value === null || value === false || value === "" || value === 0n || value === 0) return true;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration || value instanceof Timestamp) return value.nanoseconds === 0n;
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Map) return value.size === 0;
  return value instanceof Optional && value.value === undefined;
}

export const optionals: Library = {
  "@optional.of(A): optional<A>": ([value]) => new Optional(value as Value),
  "@optional.ofNonZeroValue(A): optional<A>": ([value]) =>
    isZero(value as Value) ? NONE : new Optional(value as Value),
  "@optional.none(): optional<A>": () => NONE,
  "optional<A>.hasValue(): bool": ([value]) => given(value).value !== undefined,
  "optional<A>.value(): A": ([value]) => {
    const found = given(value).value;
    if (found === undefined) throw new CelError("optional.none() dereference");
    return found;
  },
  "optional<A>.or(optional<A>): optional<A>": ([value, other]) =>
    given(value).value === undefined ? given(other) : given(value),
  "optional<A>.orValue(A): A": ([value, other]) => given(value).value ?? (other as Value),
};
