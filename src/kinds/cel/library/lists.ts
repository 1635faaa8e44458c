/** Pure: functions for lists, and for lists used as sets. */
import type { Library, Run } from "../functions.ts";
import {
  CelError,
  checkedInt,
  checkedUint,
  compare,
  Duration,
  isEqual,
  type Steps,
  Uint,
  type Value,
} from "../value.ts";

const items = (value: unknown) => value as readonly Value[];

const counted = (
  compute: (list: readonly Value[], rest: readonly Value[], step: Steps) => Value,
): Run => {
  return ([list, ...rest], step) => {
    step(items(list).length);
    return compute(items(list), rest as Value[], step);
  };
};

function order(one: Value, other: Value): number {
  const found = compare(one, other);
  if (found === undefined) throw new CelError("no such overload");
  return found;
}

function least(list: readonly Value[], sign: number, name: string): Value {
  const [first, ...rest] = list;
  if (first === undefined) throw new CelError(`${name} called on empty list`);
  return rest.reduce((best, each) => (order(each, best) * sign < 0 ? each : best), first);
}

const sum = (zero: Value, add: (one: Value, other: Value) => Value): Run =>
  counted((list) => list.reduce(add, zero));

function distinct(list: readonly Value[], step: Steps): readonly Value[] {
  const found: Value[] = [];
  for (const item of list) if (!found.some((each) => isEqual(each, item, step))) found.push(item);
  return found;
}

function flatten(list: readonly Value[], depth: number, step: Steps): readonly Value[] {
  step(list.length);
  return list.flatMap((item): readonly Value[] => {
    if (!Array.isArray(item)) return [item];
    return depth > 1 ? flatten(item, depth - 1, step) : (item as readonly Value[]);
  });
}

function slice(list: readonly Value[], from: Value, to: Value): readonly Value[] {
  const [start, end] = [Number(from), Number(to)];
  if (start < 0 || end < 0) throw new CelError("negative indexes not supported");
  if (start > end) throw new CelError("start index must be less than or equal to end index");
  if (end > list.length) throw new CelError("list index out of range");
  return list.slice(start, end);
}

export const lists: Library = {
  "size(list<A>): int": ([list]) => BigInt(items(list).length),
  "list<A>.size(): int": ([list]) => BigInt(items(list).length),
  "size(map<A, B>): int": ([map]) => BigInt((map as ReadonlyMap<Value, Value>).size),
  "map<A, B>.size(): int": ([map]) => BigInt((map as ReadonlyMap<Value, Value>).size),
  "list<A>.isSorted(): bool": counted((list) =>
    list.every((item, at) => at === 0 || order(list[at - 1] as Value, item) <= 0),
  ),
  "list<int>.sum(): int": sum(0n, (one, other) => checkedInt((one as bigint) + (other as bigint))),
  "list<uint>.sum(): uint": sum(new Uint(0n), (one, other) =>
    checkedUint((one as Uint).value + (other as Uint).value),
  ),
  "list<double>.sum(): double": sum(0, (one, other) => (one as number) + (other as number)),
  "list<duration>.sum(): duration": sum(new Duration(0n), (one, other) => {
    return new Duration((one as Duration).nanoseconds + (other as Duration).nanoseconds);
  }),
  "list<A>.min(): A": counted((list) => least(list, 1, "min")),
  "list<A>.max(): A": counted((list) => least(list, -1, "max")),
  "list<A>.indexOf(A): int": counted((list, [item], step) =>
    BigInt(list.findIndex((each) => isEqual(each, item as Value, step))),
  ),
  "list<A>.lastIndexOf(A): int": counted((list, [item], step) =>
    BigInt(list.findLastIndex((each) => isEqual(each, item as Value, step))),
  ),
  "list<A>.distinct(): list<A>": counted((list, _rest, step) => distinct(list, step)),
  "list<A>.reverse(): list<A>": counted((list) => [...list].reverse()),
  "list<A>.sort(): list<A>": counted((list, _rest, step) => {
    step(list.length * Math.log2(list.length + 1));
    return [...list].sort(order);
  }),
  "list<A>.slice(int, int): list<A>": counted((list, [from, to]) =>
    slice(list, from as Value, to as Value),
  ),
  "list<A>.flatten(): list<dyn>": ([list], step) => flatten(items(list), 1, step),
  "list<A>.flatten(int): list<dyn>": ([list, depth], step) =>
    flatten(items(list), Number(depth as bigint), step),
};

const within = (step: Steps) => (one: readonly Value[], other: readonly Value[]) =>
  other.every((item) => one.some((each) => isEqual(each, item, step)));

export const sets: Library = {
  "@sets.contains(list<A>, list<A>): bool": ([one, other], step) =>
    within(step)(items(one), items(other)),
  "@sets.equivalent(list<A>, list<A>): bool": ([one, other], step) =>
    within(step)(items(one), items(other)) && within(step)(items(other), items(one)),
  "@sets.intersects(list<A>, list<A>): bool": ([one, other], step) =>
    items(one).some((item) => items(other).some((each) => isEqual(item, each, step))),
};
