/** Pure: warnings about fractional amounts of bytes. */
import { getQuantity, milliUnits } from "../../api/quantity.ts";

/** A fraction of a byte is probably a mistake. */
export function byteWarnings(
  list: { readonly [name: string]: string } = {},
  path: string,
  names: readonly string[],
): string[] {
  return names.flatMap((name) => {
    const amount = list[name];
    if (amount === undefined || milliUnits(getQuantity(amount)) % 1000n === 0n) return [];
    const text = JSON.stringify(amount);
    return [`${path}[${name}]: fractional byte value ${text} is invalid, must be an integer`];
  });
}
