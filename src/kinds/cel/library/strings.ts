/** Pure: functions for strings. Positions are counted in characters, not in code units. */
import { findPattern, patternProblem } from "../../customresource/patterns.ts";
import type { Library, Run } from "../functions.ts";
import { CelError, type Steps, type Value } from "../value.ts";
import { formatText } from "./format-text.ts";

const text = (value: unknown) => value as string;
const list = (value: unknown) => value as readonly Value[];

/** The cost of each function is proportional to the text. */
const counted = (compute: (values: readonly Value[], step: Steps) => Value): Run => {
  return (values, step) => {
    step(text(values[0]).length / 10);
    return compute(values, step);
  };
};

function place(value: unknown, length: number): number {
  const at = Number(value as bigint);
  if (at < 0 || at > length) throw new CelError(`index out of range: ${at}`);
  return at;
}

function part(given: unknown, from: unknown, to?: unknown): string {
  const chars = [...text(given)];
  const end = to === undefined ? chars.length : place(to, chars.length);
  const start = place(from, chars.length);
  if (start > end) throw new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  return chars.slice(start, end).join("");
}

/** Converts a position in code units to one in characters. */
function inCharacters(whole: string, at: number): bigint {
  return at < 0 ? -1n : BigInt([...whole.slice(0, at)].length);
}

function unitsBefore(whole: string, characters: number): number {
  return [...whole].slice(0, characters).join("").length;
}

function replaced(whole: string, from: string, to: string, limit: bigint): string {
  if (limit < 0n) return whole.replaceAll(from, () => to);
  const parts = whole.split(from);
  const count = Number(limit);
  return parts.reduce((made, each, at) => `${made}${at <= count ? to : from}${each}`);
}

function split(whole: string, by: string, limit: bigint): readonly string[] {
  const parts = by === "" ? [...whole] : whole.split(by);
  if (limit < 0n || parts.length <= limit) return parts;
  if (limit === 0n) return [];
  const count = Number(limit);
  return [...parts.slice(0, count - 1), parts.slice(count - 1).join(by)];
}

/** The cost is proportional to the product of the lengths of text and expression. */
function matcherOf(whole: string, expression: string, step: Steps) {
  step((whole.length * expression.length) / 40);
  const found = findPattern(expression);
  if (found) return found.matcher(whole);
  throw new CelError(patternProblem(expression) ?? "invalid regular expression");
}

function findAll(
  [whole, expression]: readonly Value[],
  limit: bigint,
  step: Steps,
): readonly string[] {
  const matcher = matcherOf(text(whole), text(expression), step);
  const found: string[] = [];
  while ((limit < 0n || found.length < limit) && matcher.find()) found.push(matcher.group() ?? "");
  return found;
}

const ascii = (change: (char: string) => string, which: RegExp) => (whole: string) =>
  whole.replace(which, change);
const lower = ascii((char) => char.toLowerCase(), /[A-Z]+/g);
const upper = ascii((char) => char.toUpperCase(), /[a-z]+/g);

export const strings: Library = {
  "size(string): int": counted(([whole]) => BigInt([...text(whole)].length)),
  "string.size(): int": counted(([whole]) => BigInt([...text(whole)].length)),
  "size(bytes): int": ([bytes]) => BigInt((bytes as Uint8Array).length),
  "bytes.size(): int": ([bytes]) => BigInt((bytes as Uint8Array).length),
  "string.contains(string): bool": counted(([whole, each]) => text(whole).includes(text(each))),
  "string.startsWith(string): bool": ([whole, each]) => text(whole).startsWith(text(each)),
  "string.endsWith(string): bool": ([whole, each]) => text(whole).endsWith(text(each)),
  "string.matches(string): bool": ([whole, re], step) =>
    matcherOf(text(whole), text(re), step).find(),
  "matches(string, string): bool": ([whole, re], step) =>
    matcherOf(text(whole), text(re), step).find(),
  "string.find(string): string": (values, step) => findAll(values, 1n, step)[0] ?? "",
  "string.findAll(string): list<string>": (values, step) => findAll(values, -1n, step),
  "string.findAll(string, int): list<string>": (values, step) =>
    findAll(values, values[2] as bigint, step),
  "string.charAt(int): string": counted(([whole, at]) => {
    const chars = [...text(whole)];
    return chars[place(at, chars.length)] ?? "";
  }),
  "string.indexOf(string): int": counted(([whole, each]) =>
    inCharacters(text(whole), text(whole).indexOf(text(each))),
  ),
  "string.indexOf(string, int): int": counted(([whole, each, from]) => {
    const start = unitsBefore(text(whole), place(from, [...text(whole)].length));
    return inCharacters(text(whole), text(whole).indexOf(text(each), start));
  }),
  "string.lastIndexOf(string): int": counted(([whole, each]) =>
    inCharacters(text(whole), text(whole).lastIndexOf(text(each))),
  ),
  "string.lastIndexOf(string, int): int": counted(([whole, each, from]) => {
    const start = unitsBefore(text(whole), place(from, [...text(whole)].length));
    return inCharacters(text(whole), text(whole).lastIndexOf(text(each), start));
  }),
  "string.lowerAscii(): string": counted(([whole]) => lower(text(whole))),
  "string.upperAscii(): string": counted(([whole]) => upper(text(whole))),
  "string.trim(): string": counted(([whole]) => text(whole).trim()),
  "string.reverse(): string": counted(([whole]) => [...text(whole)].reverse().join("")),
  "string.substring(int): string": counted(([whole, from]) => part(whole, from)),
  "string.substring(int, int): string": counted(([whole, from, to]) => part(whole, from, to)),
  "string.replace(string, string): string": counted(([whole, from, to], step) => {
    const made = replaced(text(whole), text(from), text(to), -1n);
    step(made.length / 10);
    return made;
  }),
  "string.replace(string, string, int): string": counted(([whole, from, to, limit], step) => {
    const made = replaced(text(whole), text(from), text(to), limit as bigint);
    step(made.length / 10);
    return made;
  }),
  "string.split(string): list<string>": counted(([whole, by]) => split(text(whole), text(by), -1n)),
  "string.split(string, int): list<string>": counted(([whole, by, limit]) =>
    split(text(whole), text(by), limit as bigint),
  ),
  "list<string>.join(): string": ([items], step) => joined(list(items), "", step),
  "list<string>.join(string): string": ([items, by], step) => joined(list(items), text(by), step),
  "@strings.quote(string): string": counted(([whole]) => JSON.stringify(text(whole))),
  "string.format(list<dyn>): string": ([whole, items], step) => {
    const made = formatText(text(whole), list(items));
    step(made.length / 10);
    return made;
  },
};

function joined(items: readonly Value[], by: string, step: Steps): string {
  const made = items.join(by);
  step(made.length / 10 + items.length);
  return made;
}
