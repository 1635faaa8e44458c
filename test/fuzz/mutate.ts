/** Pure: makes new inputs from known ones, by seed: cut, doubled, swapped, with words inserted. */
import type { Random } from "../../src/base/random.ts";

/** Words that often break parsers. */
const WORDS: readonly string[] = [
  "",
  "\0",
  "\n",
  "\r\n",
  "\t",
  '"',
  "'",
  "\\",
  "\\u0000",
  "\\ud800",
  "\ufeff",
  "\u2028",
  "é",
  "🦀",
  "__proto__",
  "constructor",
  "null",
  "true",
  "[]",
  "{}",
  "[[[[",
  "{{{{",
  "]]]]",
  "((((",
  "))))",
  "- ",
  "? ",
  ": ",
  "&a ",
  "*a",
  "<<: *a",
  "!!binary ",
  "0",
  "-0",
  "-1",
  "1e999",
  "1e-999",
  "0x7fffffff",
  "2147483648",
  "9007199254740993",
  "18446744073709551616",
  "99999999999999999999999999",
  "NaN",
  "Infinity",
  "$(A)",
  "$A",
  "%s%n",
  "%00",
  "../",
  "/",
  ",",
  ";",
  "=",
  "!",
  "*",
  "@",
  ".",
  "..",
  "$patch",
  "$retainKeys",
  "$setElementOrder/",
  "$deleteFromPrimitiveList/",
];

const BYTES: readonly number[] = [0, 1, 0x0a, 0x12, 0x1a, 0x7f, 0x80, 0xc0, 0xfe, 0xff];
const MOST_CHANGES = 6;
/** Longer inputs find little more and take longer. */
export const LONGEST_INPUT = 8 * 1024;

type Change = (input: Buffer, random: Random, others: readonly Buffer[]) => Buffer;

export function mutate(input: Buffer, random: Random, others: readonly Buffer[]): Buffer {
  let changed = input;
  for (let left = 1 + random.below(MOST_CHANGES); left > 0; left--) {
    const change = CHANGES[random.below(CHANGES.length)] ?? insertWord;
    changed = change(changed, random, others);
    if (changed.length > LONGEST_INPUT) changed = changed.subarray(0, LONGEST_INPUT);
  }
  return changed;
}

const CHANGES: readonly Change[] = [
  insertWord,
  insertWord,
  flipBit,
  setByte,
  cut,
  double,
  repeat,
  truncate,
  splice,
  swapNumber,
];

function insertWord(input: Buffer, random: Random): Buffer {
  const word = Buffer.from(WORDS[random.below(WORDS.length)] ?? "");
  return insert(input, random.below(input.length + 1), word);
}

function insert(input: Buffer, at: number, piece: Buffer): Buffer {
  return Buffer.concat([input.subarray(0, at), piece, input.subarray(at)]);
}

function flipBit(input: Buffer, random: Random): Buffer {
  if (input.length === 0) return input;
  const copy = Buffer.from(input);
  const at = random.below(copy.length);
  copy.writeUInt8(copy.readUInt8(at) ^ (1 << random.below(8)), at);
  return copy;
}

function setByte(input: Buffer, random: Random): Buffer {
  if (input.length === 0) return input;
  const copy = Buffer.from(input);
  copy.writeUInt8(BYTES[random.below(BYTES.length)] ?? 0, random.below(copy.length));
  return copy;
}

function cut(input: Buffer, random: Random): Buffer {
  const { from, to } = range(input, random);
  return Buffer.concat([input.subarray(0, from), input.subarray(to)]);
}

function double(input: Buffer, random: Random): Buffer {
  const { from, to } = range(input, random);
  return insert(input, to, input.subarray(from, to));
}

function repeat(input: Buffer, random: Random): Buffer {
  const from = random.below(input.length + 1);
  const piece = input.subarray(from, from + 1 + random.below(8));
  const many = Array.from({ length: 1 + random.below(1000) }, () => piece);
  return insert(input, from, Buffer.concat(many));
}

function truncate(input: Buffer, random: Random): Buffer {
  return input.subarray(0, random.below(input.length + 1));
}

function splice(input: Buffer, random: Random, others: readonly Buffer[]): Buffer {
  const other = others[random.below(Math.max(1, others.length))] ?? input;
  const { from, to } = range(other, random);
  return insert(input, random.below(input.length + 1), other.subarray(from, to));
}

function swapNumber(input: Buffer, random: Random): Buffer {
  const text = input.toString("latin1");
  const numbers = [...text.matchAll(/\d+/g)];
  const chosen = numbers[random.below(Math.max(1, numbers.length))];
  if (chosen === undefined) return input;
  const other = ["0", "-1", "1e9", "2147483648", "9".repeat(1 + random.below(400))];
  const word = other[random.below(other.length)] ?? "";
  const end = chosen.index + chosen[0].length;
  return Buffer.from(`${text.slice(0, chosen.index)}${word}${text.slice(end)}`, "latin1");
}

function range(input: Buffer, random: Random): { readonly from: number; readonly to: number } {
  const [one, other] = [random.below(input.length + 1), random.below(input.length + 1)];
  return { from: Math.min(one, other), to: Math.max(one, other) };
}
