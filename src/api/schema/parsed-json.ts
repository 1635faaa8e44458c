/**
 * Pure: parsed JSON: a tree, and what JSON.parse loses of the text.
 *
 * Go's decoder checks number literals ("2.0" is not an integer) and sees every occurrence of a
 * repeated key. Most texts have neither, so the exact tree exists only for those that do.
 */
import type { Json } from "../object.ts";

export interface ParsedJson {
  readonly value: Json;
  /** The same tree with literals and repetitions kept; absent when `value` loses nothing. */
  readonly exact?: ExactJson;
  /**
   * Problems that the parser of the text found before any schema was known: repeated keys in YAML.
   */
  readonly strict?: readonly string[];
}

export type ExactJson =
  | null
  | boolean
  | number
  | string
  | NumberLiteral
  | RepeatedKeys
  | ExactJson[]
  | { [key: string]: ExactJson };

/** A number whose text contains more than its value: "2.0", "1e3", "9007199254740993". */
export class NumberLiteral {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** An object in which a key occurs more than once: all its entries, as written. */
export class RepeatedKeys {
  readonly entries: readonly (readonly [string, ExactJson])[];

  constructor(entries: readonly (readonly [string, ExactJson])[]) {
    this.entries = entries;
  }
}

/** Wraps JSON that was not parsed from text, such as the result of a patch. */
export function parsed(value: Json): ParsedJson {
  return { value };
}

/** The tree as JSON.parse returns it: the last occurrence of a repeated key counts. */
export function toPlain(exact: ExactJson): Json {
  if (exact === null || typeof exact !== "object") return exact;
  if (exact instanceof NumberLiteral) return Number(exact.text);
  if (Array.isArray(exact)) return exact.map(toPlain);
  const entries = exact instanceof RepeatedKeys ? exact.entries : Object.entries(exact);
  const out: { [key: string]: Json } = {};
  for (const [key, value] of entries) setOwn(out, key, toPlain(value));
  return out;
}

/** Assigns a key, including "__proto__". */
export function setOwn<T>(target: { [key: string]: T }, key: string, value: T): void {
  if (key !== "__proto__") target[key] = value;
  else Object.defineProperty(target, key, { ...DATA, value });
}

const DATA = { configurable: true, enumerable: true, writable: true };

/** The text of a tree, with its literals as written. */
export function formatExact(exact: ExactJson): string {
  if (exact === null || typeof exact !== "object") return JSON.stringify(exact);
  if (exact instanceof NumberLiteral) return exact.text;
  if (Array.isArray(exact)) return `[${exact.map(formatExact).join(",")}]`;
  const entries = exact instanceof RepeatedKeys ? exact.entries : Object.entries(exact);
  const pairs = entries.map(([key, value]) => `${JSON.stringify(key)}:${formatExact(value)}`);
  return `{${pairs.join(",")}}`;
}
