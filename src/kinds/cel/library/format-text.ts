/** Pure: formats a text with values: "%s has %d". */
import {
  CelError,
  Duration,
  isNumeric,
  kindOf,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from "../value.ts";
import { formatDuration, formatTimestamp } from "./time-text.ts";

const VERB = /%(?:\.(\d{1,3}))?(.)?/gs;

export function formatText(text: string, values: readonly Value[]): string {
  let used = 0;
  return text.replace(VERB, (_whole, precision: string | undefined, verb: string | undefined) => {
    if (verb === "%") return "%";
    const value = values[used];
    if (value === undefined) throw new CelError(`index ${used} out of range`);
    used += 1;
    return formatVerb(verb ?? "", value, precision === undefined ? 6 : Number(precision));
  });
}

function formatVerb(verb: string, value: Value, precision: number): string {
  switch (verb) {
    case "s":
      return shown(value);
    case "d":
      if (typeof value === "bigint" || value instanceof Uint) return shown(value);
      break;
    case "f":
      if (isNumeric(value)) return numberOf(value).toFixed(Math.min(precision, 100));
      break;
    case "e":
      if (isNumeric(value)) return exponent(numberOf(value), precision);
      break;
    case "b":
      if (typeof value === "boolean") return value ? "1" : "0";
      if (typeof value === "bigint" || value instanceof Uint) return integerOf(value).toString(2);
      break;
    case "o":
      if (typeof value === "bigint" || value instanceof Uint) return integerOf(value).toString(8);
      break;
    case "x":
    case "X": {
      const hex = hexOf(value);
      if (hex !== undefined) return verb === "X" ? hex.toUpperCase() : hex;
      break;
    }
    default:
      throw new CelError(
        `could not parse formatting clause: unrecognized formatting clause "${verb}"`,
      );
  }
  const problem = `error during formatting: ${verb} clause cannot be used on ${kindOf(value)}`;
  throw new CelError(problem);
}

function numberOf(value: bigint | number | Uint): number {
  return Number(value instanceof Uint ? value.value : value);
}

function integerOf(value: bigint | Uint): bigint {
  return value instanceof Uint ? value.value : value;
}

/** With at least two digits in the exponent, as in Go. */
function exponent(value: number, precision: number): string {
  const text = value.toExponential(Math.min(precision, 100));
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}

function hexOf(value: Value): string | undefined {
  if (typeof value === "bigint" || value instanceof Uint) return integerOf(value).toString(16);
  if (typeof value === "string") return Buffer.from(value).toString("hex");
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return undefined;
}

function shown(value: Value): string {
  if (value === null) return "null";
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof TypeValue) return value.type;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  if (value instanceof Optional) return value.value === undefined ? "optional.none()" : "optional";
  if (Array.isArray(value)) return `[${(value as readonly Value[]).map(shown).join(", ")}]`;
  if (value instanceof Map) {
    const entries = [...value].map(([key, item]) => `${shown(key)}: ${shown(item)}`);
    return `{${entries.sort().join(", ")}}`;
  }
  return typeof value === "object" && "text" in value ? value.text : String(value);
}
