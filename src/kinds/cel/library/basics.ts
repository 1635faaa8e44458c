/** Pure: functions for numbers, comparisons and conversions. */
import { parseGoDuration } from "../../../api/go-duration.ts";
import type { Library, Run } from "../functions.ts";
import {
  CelError,
  checkedInt,
  checkedUint,
  compare,
  Duration,
  isEqual,
  kindOf,
  type Steps,
  Timestamp,
  TypeValue,
  Uint,
  unorderedKeys,
  type Value,
} from "../value.ts";
import { formatDuration, formatTimestamp, parseTimestamp } from "./time-text.ts";

const ints = (compute: (one: bigint, other: bigint) => bigint): Run => {
  return ([one, other]) => checkedInt(compute(one as bigint, other as bigint));
};

const uints = (compute: (one: bigint, other: bigint) => bigint): Run => {
  return ([one, other]) => checkedUint(compute((one as Uint).value, (other as Uint).value));
};

const doubles = (compute: (one: number, other: number) => number): Run => {
  return ([one, other]) => compute(one as number, other as number);
};

function nonzero(value: bigint, problem: string): bigint {
  if (value === 0n) throw new CelError(problem);
  return value;
}

const divide = (one: bigint, other: bigint) => one / nonzero(other, "division by zero");
const remainder = (one: bigint, other: bigint) => one % nonzero(other, "modulus by zero");

export const numbers: Library = {
  "_+_(int, int): int": ints((one, other) => one + other),
  "_+_(uint, uint): uint": uints((one, other) => one + other),
  "_+_(double, double): double": doubles((one, other) => one + other),
  "_+_(string, string): string": ([one, other], step) => {
    const text = (one as string) + (other as string);
    step(text.length / 10);
    return text;
  },
  "_+_(bytes, bytes): bytes": ([one, other], step) => {
    const bytes = Buffer.concat([one as Uint8Array, other as Uint8Array]);
    step(bytes.length / 10);
    return bytes;
  },
  "_+_(list<A>, list<A>): list<A>": ([one, other], step) => {
    return concatenated(one as readonly Value[], other as readonly Value[], step);
  },
  "_-_(int, int): int": ints((one, other) => one - other),
  "_-_(uint, uint): uint": uints((one, other) => one - other),
  "_-_(double, double): double": doubles((one, other) => one - other),
  "_*_(int, int): int": ints((one, other) => one * other),
  "_*_(uint, uint): uint": uints((one, other) => one * other),
  "_*_(double, double): double": doubles((one, other) => one * other),
  "_/_(int, int): int": ints(divide),
  "_/_(uint, uint): uint": uints(divide),
  "_/_(double, double): double": doubles((one, other) => one / other),
  "_%_(int, int): int": ints(remainder),
  "_%_(uint, uint): uint": uints(remainder),
  "-_(int): int": ([value]) => checkedInt(-(value as bigint)),
  "-_(double): double": ([value]) => -(value as number),
  "!_(bool): bool": ([value]) => !(value as boolean),
};

/**
 * A list that is a set keeps each item once; in one with keys, the later item replaces the earlier.
 */
function concatenated(one: readonly Value[], other: readonly Value[], step: Steps): Value {
  step((one.length + other.length) / 10);
  const keys = unorderedKeys(one);
  if (!keys) return [...one, ...other];
  const isSame = (left: Value, right: Value) =>
    keys.length === 0
      ? isEqual(left, right, step)
      : keys.every((key) => isEqual(fieldOf(left, key), fieldOf(right, key), step));
  const kept = one.map((item) => other.find((each) => isSame(item, each)) ?? item);
  return [...kept, ...other.filter((item) => !one.some((each) => isSame(item, each)))];
}

function fieldOf(value: Value, field: string): Value {
  return (value instanceof Map ? value.get(field) : null) ?? null;
}

const ordered = (accepts: (order: number) => boolean): Run => {
  return ([one, other], step) => {
    step(typeof one === "string" ? one.length / 10 : 1);
    const order = compare(one as Value, other as Value);
    if (order === undefined) throw new CelError("no such overload");
    return accepts(order);
  };
};

const ORDERED = [
  "bool, bool",
  "int, int",
  "uint, uint",
  "double, double",
  "string, string",
  "bytes, bytes",
  "timestamp, timestamp",
  "duration, duration",
  "int, double",
  "double, int",
  "int, uint",
  "uint, int",
  "uint, double",
  "double, uint",
];

const ORDERS: readonly (readonly [string, (order: number) => boolean])[] = [
  ["_<_", (order) => order < 0],
  ["_<=_", (order) => order <= 0],
  ["_>_", (order) => order > 0],
  ["_>=_", (order) => order >= 0],
];

export const comparisons: Library = {
  "_==_(A, A): bool": ([one, other], step) => isEqual(one as Value, other as Value, step),
  "_!=_(A, A): bool": ([one, other], step) => !isEqual(one as Value, other as Value, step),
  "@@in(A, list<A>): bool": ([item, list], step) =>
    (list as readonly Value[]).some((each) => isEqual(item as Value, each, step)),
  "@@in(A, map<A, B>): bool": ([key, map]) => {
    return (map as ReadonlyMap<Value, Value>).has(key instanceof Uint ? key.value : (key as Value));
  },
  ...Object.fromEntries(
    ORDERS.flatMap(([name, accepts]) =>
      ORDERED.map((types) => [`${name}(${types}): bool`, ordered(accepts)]),
    ),
  ),
};

export const conversions: Library = {
  "int(int): int": ([value]) => value as bigint,
  "int(uint): int": ([value]) => checkedInt((value as Uint).value),
  "int(double): int": ([value]) => {
    const number = value as number;
    if (!Number.isFinite(number)) throw new CelError("integer overflow");
    return checkedInt(BigInt(Math.trunc(number)));
  },
  "int(string): int": ([value]) => checkedInt(integerIn(value as string, "int")),
  "int(timestamp): int": ([value]) => (value as Timestamp).nanoseconds / 1_000_000_000n,
  "uint(uint): uint": ([value]) => value as Uint,
  "uint(int): uint": ([value]) => checkedUint(value as bigint),
  "uint(double): uint": ([value]) => checkedUint(BigInt(Math.trunc(value as number))),
  "uint(string): uint": ([value]) => checkedUint(integerIn(value as string, "uint")),
  "double(double): double": ([value]) => value as number,
  "double(int): double": ([value]) => Number(value),
  "double(uint): double": ([value]) => Number((value as Uint).value),
  "double(string): double": ([value]) => {
    const number = Number(value);
    if ((value as string).trim() === "" || Number.isNaN(number)) {
      throw new CelError(`type conversion error from 'string' to 'double'`);
    }
    return number;
  },
  "bool(bool): bool": ([value]) => value as boolean,
  "bool(string): bool": ([value]) => {
    const isTrue = ["true", "True", "TRUE", "t", "1"].includes(value as string);
    if (isTrue || ["false", "False", "FALSE", "f", "0"].includes(value as string)) return isTrue;
    throw new CelError(`type conversion error from 'string' to 'bool'`);
  },
  "string(string): string": ([value]) => value as string,
  "string(int): string": ([value]) => String(value),
  "string(uint): string": ([value]) => String((value as Uint).value),
  "string(double): string": ([value]) => String(value),
  "string(bool): string": ([value]) => String(value),
  "string(bytes): string": ([value]) => Buffer.from(value as Uint8Array).toString("utf8"),
  "string(timestamp): string": ([value]) => formatTimestamp(value as Timestamp),
  "string(duration): string": ([value]) => formatDuration(value as Duration),
  "bytes(bytes): bytes": ([value]) => value as Uint8Array,
  "bytes(string): bytes": ([value], step) => {
    step((value as string).length / 10);
    return Buffer.from(value as string);
  },
  "timestamp(timestamp): timestamp": ([value]) => value as Timestamp,
  "timestamp(int): timestamp": ([value]) => new Timestamp((value as bigint) * 1_000_000_000n),
  "timestamp(string): timestamp": ([value]) => parseTimestamp(value as string),
  "duration(duration): duration": ([value]) => value as Duration,
  "duration(string): duration": ([value]) => {
    const parsed = parseGoDuration(value as string);
    if ("problem" in parsed) throw new CelError(parsed.problem);
    return new Duration(parsed.nanoseconds);
  },
  "type(A): type": ([value]) => new TypeValue(kindOf(value as Value)),
};

function integerIn(text: string, type: string): bigint {
  if (/^[+-]?\d+$/.test(text)) return BigInt(text.replace("+", ""));
  throw new CelError(`type conversion error from 'string' to '${type}'`);
}
