/** Pure: which plain YAML scalars are not strings, by the YAML 1.1 rules of Go's yaml library. */

export type YamlScalar =
  | { readonly kind: "string" }
  | { readonly kind: "null" }
  | { readonly kind: "merge" }
  | { readonly kind: "timestamp" }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "int"; readonly value: bigint }
  | { readonly kind: "float"; readonly value: number };

const STRING: YamlScalar = { kind: "string" };

/** The meaning of an unquoted scalar. */
export function resolveScalar(text: string): YamlScalar {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (/^\./.test(text)) return FLOAT.test(text) ? finite(Number(text)) : STRING;
  if (!/^[-+0-9]/.test(text)) return STRING;
  if (isTimestamp(text)) return { kind: "timestamp" };
  const plain = text.replaceAll("_", "");
  const integer = parseInteger(plain);
  if (integer !== undefined) return { kind: "int", value: integer };
  return FLOAT.test(plain) ? finite(Number(plain)) : STRING;
}

/** Other readers take "1:20" for a number of base 60, so it is always quoted. */
export function isBase60(text: string): boolean {
  return /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/.test(text);
}

const WORDS: ReadonlyMap<string, YamlScalar> = new Map([
  ...words({ kind: "bool", value: true }, "y Y yes Yes YES true True TRUE on On ON"),
  ...words({ kind: "bool", value: false }, "n N no No NO false False FALSE off Off OFF"),
  ...words({ kind: "null" }, " ~ null Null NULL"),
  ...words({ kind: "float", value: Number.NaN }, ".nan .NaN .NAN"),
  ...words({ kind: "float", value: Infinity }, ".inf .Inf .INF +.inf +.Inf +.INF"),
  ...words({ kind: "float", value: -Infinity }, "-.inf -.Inf -.INF"),
  ...words({ kind: "merge" }, "<<"),
]);

function words(meaning: YamlScalar, texts: string): [string, YamlScalar][] {
  return texts.split(" ").map((text) => [text, meaning]);
}

const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

/** Go's ParseFloat fails if the value exceeds a double, and the text stays a string. */
function finite(value: number): YamlScalar {
  return Number.isFinite(value) ? { kind: "float", value } : STRING;
}

const MAX_UINT64 = 2n ** 64n - 1n;
/** Enough for leading zeros that anybody might write. */
const LONGEST_INTEGER = 1000;
const MIN_INT64 = -(2n ** 63n);

/** Go's ParseInt with base 0: a leading zero means octal. */
function parseInteger(text: string): bigint | undefined {
  if (text.length > LONGEST_INTEGER) return undefined;
  const match = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/.exec(text);
  if (match === null) return undefined;
  const [, sign, digits = ""] = match;
  const magnitude = BigInt(digits.replace(/^0[oO]?(?=[0-7])/, "0o"));
  const value = sign === "-" ? -magnitude : magnitude;
  // Go's ParseUint does not accept a sign.
  const max = sign === "" ? MAX_UINT64 : -MIN_INT64 - 1n;
  return value <= max && value >= MIN_INT64 ? value : undefined;
}

const DATE = /^\d{4}-(\d\d?)-(\d\d?)(.*)$/;
const CLOCK = /^(?:[Tt](.*)(?:Z|[-+]\d\d:\d\d)| (.*))$/;
const TIME_OF_DAY = /^(?:[01]?\d|2[0-3]):[0-5]?\d:[0-5]?\d(?:\.\d+)?$/;

function isTimestamp(text: string): boolean {
  const [, month, day, rest = ""] = DATE.exec(text) ?? [];
  if (!isBetween(Number(month), { from: 1, to: 12 })) return false;
  if (!isBetween(Number(day), { from: 1, to: 31 })) return false;
  if (rest === "") return true;
  const [, zoned, unzoned] = CLOCK.exec(rest) ?? [];
  return TIME_OF_DAY.test(zoned ?? unzoned ?? "");
}

function isBetween(value: number, range: { readonly from: number; readonly to: number }): boolean {
  return value >= range.from && value <= range.to;
}
