/** Pure: functions for Kubernetes quantities: "1.5Gi". */
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  isInteger,
  isNegative,
  isZero,
  parseQuantity,
  type Quantity,
  subtractQuantities,
  wholeUnits,
} from "../../../api/quantity.ts";
import type { Library } from "../functions.ts";
import { CelError, checkedInt, Opaque, type Value } from "../value.ts";

const content = (value: unknown) => (value as Opaque).content as Quantity;

function quantity(text: string): Opaque {
  const parsed = parseQuantity(text);
  if ("problem" in parsed) throw new CelError(parsed.problem);
  return wrapped(parsed);
}

function wrapped(value: Quantity): Opaque {
  return new Opaque("Quantity", value, canonical(value));
}

/** Equal amounts have equal texts, whatever their units. */
function canonical(value: Quantity): string {
  return formatQuantity({ ...value, format: "DecimalSI" });
}

function other(value: Value): Quantity {
  return typeof value === "bigint" ? content(quantity(String(value))) : content(value);
}

const order = (one: unknown, two: unknown) => compareQuantities(content(one), content(two));

export const quantities: Library = {
  "quantity(string): Quantity": ([text]) => quantity(text as string),
  "isQuantity(string): bool": ([text]) => !("problem" in parseQuantity(text as string)),
  "Quantity.sign(): int": ([value]) => {
    if (isZero(content(value))) return 0n;
    return isNegative(content(value)) ? -1n : 1n;
  },
  "Quantity.isInteger(): bool": ([value]) => isInteger(content(value)),
  "Quantity.asInteger(): int": ([value]) => {
    if (!isInteger(content(value))) throw new CelError("cannot convert value to integer");
    return checkedInt(wholeUnits(content(value)));
  },
  "Quantity.asApproximateFloat(): double": ([value]) => {
    const text = canonical(content(value));
    const [, digits = "0", suffix = ""] = /^([-+.\d]+(?:e[-+]?\d+)?)(.*)$/.exec(text) ?? [];
    return Number(digits) * (SUFFIXES[suffix] ?? 1);
  },
  "Quantity.add(Quantity): Quantity": ([one, two]) =>
    wrapped(addQuantities(content(one), other(two as Value))),
  "Quantity.add(int): Quantity": ([one, two]) =>
    wrapped(addQuantities(content(one), other(two as Value))),
  "Quantity.sub(Quantity): Quantity": ([one, two]) =>
    wrapped(subtractQuantities(content(one), other(two as Value))),
  "Quantity.sub(int): Quantity": ([one, two]) =>
    wrapped(subtractQuantities(content(one), other(two as Value))),
  "Quantity.isLessThan(Quantity): bool": ([one, two]) => order(one, two) < 0,
  "Quantity.isGreaterThan(Quantity): bool": ([one, two]) => order(one, two) > 0,
  "Quantity.compareTo(Quantity): int": ([one, two]) => BigInt(order(one, two)),
};

const SUFFIXES: { readonly [suffix: string]: number } = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
};
