/** Pure: the values of expressions, their equality and their order. */

export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | readonly Value[]
  | ReadonlyMap<Value, Value>
  | Uint
  | Timestamp
  | Duration
  | TypeValue
  | Optional
  | Opaque;

export class CelError extends Error {
  override readonly name = "CelError";
}

export class Uint {
  constructor(readonly value: bigint) {}
}

/** Nanoseconds since 1970. */
export class Timestamp {
  constructor(readonly nanoseconds: bigint) {}
}

export class Duration {
  constructor(readonly nanoseconds: bigint) {}
}

export class TypeValue {
  constructor(readonly type: string) {}
}

export class Optional {
  constructor(readonly value?: Value) {}
}

/** A value of a library: its kind, and content that only the library knows. */
export class Opaque {
  constructor(
    readonly kind: string,
    readonly content: unknown,
    /** Equal values have equal texts. */
    readonly text: string,
  ) {}
}

export function kindOf(value: Value): string {
  if (value === null) return "null";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "double";
    case "string":
      return "string";
  }
  if (Array.isArray(value)) return "list";
  if (value instanceof Map) return "map";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof Uint) return "uint";
  if (value instanceof Timestamp) return "timestamp";
  if (value instanceof Duration) return "duration";
  if (value instanceof TypeValue) return "type";
  if (value instanceof Optional) return "optional";
  return (value as Opaque).kind;
}

/** Unordered lists (sets and maps), and the fields that identify their items. */
const unordered = new WeakMap<object, readonly string[]>();

/** Marks a list as a set, or, with keys, as a map whose items are identified by these fields. */
export function markUnordered(list: readonly Value[], keys: readonly string[]): void {
  unordered.set(list, keys);
}

export type Steps = (count: number) => void;

/** Counts each step, because a comparison can take as long as the values are large. */
export function isEqual(one: Value, other: Value, step: Steps): boolean {
  step(1);
  if (one === other) return true;
  if (isNumeric(one) && isNumeric(other)) return compareNumbers(one, other) === 0;
  if (Array.isArray(one) && Array.isArray(other)) return isEqualList(one, other, step);
  if (one instanceof Map && other instanceof Map) return isEqualMap(one, other, step);
  if (one instanceof Uint8Array && other instanceof Uint8Array) {
    step(Math.min(one.length, other.length) / 8);
    return Buffer.compare(one, other) === 0;
  }
  if (one instanceof Timestamp && other instanceof Timestamp) {
    return one.nanoseconds === other.nanoseconds;
  }
  if (one instanceof Duration && other instanceof Duration) {
    return one.nanoseconds === other.nanoseconds;
  }
  if (one instanceof TypeValue && other instanceof TypeValue) return one.type === other.type;
  if (one instanceof Opaque && other instanceof Opaque) {
    return one.kind === other.kind && one.text === other.text;
  }
  if (one instanceof Optional && other instanceof Optional)
    return isEqualOptional(one, other, step);
  return false;
}

function isEqualOptional(one: Optional, other: Optional, step: Steps): boolean {
  if (one.value === undefined || other.value === undefined) return one.value === other.value;
  return isEqual(one.value, other.value, step);
}

function isEqualList(one: readonly Value[], other: readonly Value[], step: Steps): boolean {
  if (one.length !== other.length) return false;
  if (unordered.has(one) || unordered.has(other)) {
    return one.every((item) => other.some((each) => isEqual(item, each, step)));
  }
  return one.every((item, at) => isEqual(item, other[at] ?? null, step));
}

function isEqualMap(
  one: ReadonlyMap<Value, Value>,
  other: ReadonlyMap<Value, Value>,
  step: Steps,
): boolean {
  if (one.size !== other.size) return false;
  for (const [key, value] of one) {
    const found = other.get(key);
    if (found === undefined || !isEqual(value, found, step)) return false;
  }
  return true;
}

export function isNumeric(value: Value): value is bigint | number | Uint {
  return typeof value === "bigint" || typeof value === "number" || value instanceof Uint;
}

function plain(value: bigint | number | Uint): bigint | number {
  return value instanceof Uint ? value.value : value;
}

export function compareNumbers(one: bigint | number | Uint, other: bigint | number | Uint): number {
  const [left, right] = [plain(one), plain(other)];
  if (left < right) return -1;
  if (left > right) return 1;
  return isNoNumber(left) || isNoNumber(right) ? Number.NaN : 0;
}

/** Undefined if the two values have no order. */
export function compare(one: Value, other: Value): number | undefined {
  if (isNumeric(one) && isNumeric(other)) return compareNumbers(one, other);
  if (typeof one === "string" && typeof other === "string") {
    return Buffer.compare(Buffer.from(one), Buffer.from(other));
  }
  if (typeof one === "boolean" && typeof other === "boolean") return Number(one) - Number(other);
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other);
  const isTime = one instanceof Timestamp && other instanceof Timestamp;
  const isSpan = one instanceof Duration && other instanceof Duration;
  if (!isTime && !isSpan) return undefined;
  return compareNumbers(one.nanoseconds, other.nanoseconds);
}

export function unorderedKeys(list: readonly Value[]): readonly string[] | undefined {
  return unordered.get(list);
}

const MAX_INT = 2n ** 63n - 1n;
const MIN_INT = -(2n ** 63n);
const MAX_UINT = 2n ** 64n - 1n;

export function checkedInt(value: bigint): bigint {
  if (value > MAX_INT || value < MIN_INT) throw new CelError("integer overflow");
  return value;
}

export function checkedUint(value: bigint): Uint {
  if (value < 0n || value > MAX_UINT) throw new CelError("unsigned integer overflow");
  return new Uint(value);
}

function isNoNumber(value: bigint | number): boolean {
  return typeof value === "number" && Number.isNaN(value);
}
