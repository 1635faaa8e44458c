/** Pure: formats an object like sigs.k8s.io/yaml: sorted keys, two spaces, folded at 80 columns. */
import {
  type Emitter,
  newEmitter,
  writeIndent,
  writeIndicator,
  writeScalar,
  writeWord,
} from "./yaml-emit.ts";

/** For plain JSON data. Properties that are undefined are omitted, as in JSON. */
export function formatYaml(object: unknown): string {
  const emitter = newEmitter();
  writeNode(emitter, object, { indent: -2, isValueOfKey: false });
  return `${emitter.out}\n`;
}

interface Place {
  /** The indent of the enclosing collection; negative at the top. */
  readonly indent: number;
  /** A sequence that is the value of a key is not indented under it. */
  readonly isValueOfKey: boolean;
}

function writeNode(emitter: Emitter, value: unknown, place: Place): void {
  if (Array.isArray(value)) {
    if (value.length === 0) writeWord(emitter, "[]");
    else writeSequence(emitter, value, place);
  } else if (value !== null && typeof value === "object") {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    if (entries.length === 0) writeWord(emitter, "{}");
    else writeMapping(emitter, entries, place.indent + 2);
  } else if (typeof value === "string") {
    writeScalar(emitter, value, { indent: place.indent + 2, isKey: false });
  } else {
    writeWord(emitter, String(value));
  }
}

function writeSequence(emitter: Emitter, items: readonly unknown[], place: Place): void {
  const indent = place.isValueOfKey ? place.indent : place.indent + 2;
  for (const item of items) {
    writeIndent(emitter, indent);
    writeIndicator(emitter, "-", { isIndention: true });
    writeNode(emitter, item, { indent, isValueOfKey: false });
  }
}

function writeMapping(
  emitter: Emitter,
  entries: readonly (readonly [string, unknown])[],
  indent: number,
): void {
  const sorted = [...entries].sort(([left], [right]) => compareKeys(left, right));
  for (const [key, value] of sorted) {
    writeIndent(emitter, indent);
    writeKey(emitter, key, indent);
    writeNode(emitter, value, { indent, isValueOfKey: true });
  }
}

const MAX_SIMPLE_KEY_BYTES = 128;

function writeKey(emitter: Emitter, key: string, indent: number): void {
  const isSimple = !key.includes("\n") && Buffer.byteLength(key) <= MAX_SIMPLE_KEY_BYTES;
  if (isSimple) {
    writeScalar(emitter, key, { indent: indent + 2, isKey: true });
    writeIndicator(emitter, ":", { isAttached: true });
    return;
  }
  writeIndicator(emitter, "?", { isIndention: true });
  writeScalar(emitter, key, { indent: indent + 2, isKey: false });
  writeIndent(emitter, indent);
  writeIndicator(emitter, ":", { isIndention: true });
}

/** Go's order of keys: digits within them are compared as numbers, and letters come last. */
function compareKeys(left: string, right: string): number {
  const a = [...left];
  const b = [...right];
  let afterDigit = false;
  for (let at = 0; at < a.length && at < b.length; at++) {
    const x = a[at] ?? "";
    const y = b[at] ?? "";
    if (x === y) {
      afterDigit = isDigit(x);
      continue;
    }
    if (isLetter(x) && isLetter(y)) return x < y ? -1 : 1;
    if (isLetter(x) || isLetter(y)) return isLetter(x) === afterDigit ? -1 : 1;
    return compareNumbers(a, b, at);
  }
  return a.length - b.length;
}

function compareNumbers(a: readonly string[], b: readonly string[], at: number): number {
  const lead = followsNonZeroDigit(a, b, at) ? "1" : "";
  const x = `${lead}${digitsFrom(a, at)}`;
  const y = `${lead}${digitsFrom(b, at)}`;
  const difference = BigInt(x === "" ? 0 : x) - BigInt(y === "" ? 0 : y);
  if (difference !== 0n) return difference < 0n ? -1 : 1;
  if (x.length !== y.length) return x.length - y.length;
  return (a[at] ?? "") < (b[at] ?? "") ? -1 : 1;
}

/** A zero that continues a number must not be read as a leading zero. */
function followsNonZeroDigit(a: readonly string[], b: readonly string[], at: number): boolean {
  if (a[at] !== "0" && b[at] !== "0") return false;
  for (let before = at - 1; before >= 0 && isDigit(a[before] ?? ""); before--) {
    if (a[before] !== "0") return true;
  }
  return false;
}

function digitsFrom(chars: readonly string[], start: number): string {
  let end = start;
  while (isDigit(chars[end] ?? "")) end += 1;
  return chars.slice(start, end).join("");
}

function isDigit(char: string): boolean {
  return char >= "0" && char <= "9";
}

function isLetter(char: string): boolean {
  return /^\p{L}$/u.test(char);
}
