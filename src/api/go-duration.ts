/** Pure: durations in Go's format, "1h15m30.5s". */
import { quote } from "./finding.ts";

export type ParsedDuration = { readonly nanoseconds: bigint } | { readonly problem: string };

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["\u00b5s", 1_000n],
  ["\u03bcs", 1_000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);
const MAX = 2n ** 63n - 1n;
/** More digits than MAX has. */
const TOO_MANY_DIGITS = 20;
/** Further digits are less than a nanosecond in any unit. */
const COUNTED_FRACTION_DIGITS = 18;

export function parseGoDuration(text: string): ParsedDuration {
  const isNegative = text.startsWith("-");
  let rest = text.replace(/^[-+]/, "");
  if (rest === "0") return { nanoseconds: 0n };
  const malformed = { problem: `time: invalid duration ${quote(text)}` };
  if (rest === "") return malformed;
  let total = 0n;
  while (rest !== "") {
    const [number = "", whole = "", fraction = ""] = /^([0-9]*)(?:\.([0-9]*))?/.exec(rest) ?? [];
    if (whole === "" && fraction === "") return malformed;
    rest = rest.slice(number.length);
    const [unit = ""] = /^[^.0-9]*/.exec(rest) ?? [];
    if (unit === "") return { problem: `time: missing unit in duration ${quote(text)}` };
    rest = rest.slice(unit.length);
    const size = UNITS.get(unit);
    if (size === undefined) {
      return { problem: `time: unknown unit ${quote(unit)} in duration ${quote(text)}` };
    }
    if (whole.replace(/^0+/, "").length >= TOO_MANY_DIGITS) return malformed;
    const counted = fraction.slice(0, COUNTED_FRACTION_DIGITS);
    total += BigInt(whole) * size + (BigInt(counted) * size) / 10n ** BigInt(counted.length);
    if (total > MAX) return malformed;
  }
  return { nanoseconds: isNegative ? -total : total };
}
