/** Pure: amounts by the resource names that a ResourceQuota uses. */
import { addQuantities, formatQuantity, type Quantity } from "../../api/quantity.ts";

export type Amounts = ReadonlyMap<string, Quantity>;

const NANO = 1_000_000_000n;

export function whole(count: number): Quantity {
  return { nanos: BigInt(count) * NANO, format: "DecimalSI" };
}

/** The sum by name; a name that is only in one of the two keeps its amount. */
export function addAmounts(left: Amounts, right: Amounts): Amounts {
  const sum = new Map(left);
  for (const [name, amount] of right) {
    const before = sum.get(name);
    sum.set(name, before ? addQuantities(before, amount) : amount);
  }
  return sum;
}

export function negated(amounts: Amounts): Amounts {
  return new Map(
    [...amounts].map(([name, { nanos, format }]) => [name, { nanos: -nanos, format }]),
  );
}

/** Only the amounts with these names. */
export function maskAmounts(amounts: Amounts, names: Iterable<string>): Amounts {
  const masked = new Map<string, Quantity>();
  for (const name of names) {
    const amount = amounts.get(name);
    if (amount) masked.set(name, amount);
  }
  return masked;
}

/** "cpu=1,pods=2", sorted by name. */
export function formatAmounts(amounts: Amounts): string {
  return [...amounts]
    .map(([name, amount]) => `${name}=${formatQuantity(amount)}`)
    .sort()
    .join(",");
}
