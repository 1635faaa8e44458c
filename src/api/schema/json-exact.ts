/** Pure: a slow, lossless JSON parser with the error messages of Go's scanner. */
import { quote } from "../finding.ts";
import { type ExactJson, NumberLiteral, RepeatedKeys, setOwn } from "./parsed-json.ts";

/** Malformed JSON: "invalid character 'x' looking for beginning of value". */
export class JsonSyntaxError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "JsonSyntaxError";
  }
}

/**
 * Deeper than any real object. Go allows ten times as much, but some functions here recurse for
 * every level and must not overflow the stack in the middle of a request.
 */
export const MAX_DEPTH = 1_000;

export function parseExact(text: string): ExactJson {
  const cursor: Cursor = { text, at: 0 };
  const open: Container[] = [];
  for (;;) {
    let value = readValue(cursor, open);
    // A completed value may complete the containers in which it is the last element.
    while (value !== undefined) {
      const container = open.at(-1);
      if (container === undefined) {
        if (skipSpace(cursor) !== "") throw invalidCharacter(cursor, "after top-level value");
        return value;
      }
      add(container, value);
      value = readSeparator(cursor, container) ? undefined : close(open);
    }
  }
}

interface Cursor {
  readonly text: string;
  at: number;
}

type Container =
  | { readonly kind: "array"; readonly items: ExactJson[] }
  | { readonly kind: "object"; readonly entries: [string, ExactJson][]; key: string };

/** A completed value, or undefined after the opening bracket of a non-empty container. */
function readValue(cursor: Cursor, open: Container[]): ExactJson | undefined {
  const char = skipSpace(cursor);
  if (char === "{" || char === "[") return readOpening(cursor, open, char);
  if (char === '"') return readString(cursor);
  if (char === "-" || isDigit(char)) return readNumber(cursor);
  for (const [word, value] of LITERALS) if (char === word[0]) return readWord(cursor, word, value);
  throw invalidCharacter(cursor, "looking for beginning of value");
}

const LITERALS = [
  ["true", true],
  ["false", false],
  ["null", null],
] as const;

function readOpening(cursor: Cursor, open: Container[], char: "{" | "["): ExactJson | undefined {
  if (open.length === MAX_DEPTH) throw invalidCharacter(cursor, "exceeded max depth");
  cursor.at += 1;
  const next = skipSpace(cursor);
  if (next === (char === "{" ? "}" : "]")) {
    cursor.at += 1;
    return char === "{" ? {} : [];
  }
  if (char === "[") open.push({ kind: "array", items: [] });
  else open.push({ kind: "object", entries: [], key: readKey(cursor) });
  return undefined;
}

function readKey(cursor: Cursor): string {
  if (skipSpace(cursor) !== '"') {
    throw invalidCharacter(cursor, "looking for beginning of object key string");
  }
  const key = readString(cursor);
  if (skipSpace(cursor) !== ":") throw invalidCharacter(cursor, "after object key");
  cursor.at += 1;
  return key;
}

/** True after a comma, with the next key read; false after the closing bracket. */
function readSeparator(cursor: Cursor, container: Container): boolean {
  const char = skipSpace(cursor);
  if (char === ",") {
    cursor.at += 1;
    if (container.kind === "object") container.key = readKey(cursor);
    return true;
  }
  if (char !== (container.kind === "object" ? "}" : "]")) {
    const after = container.kind === "object" ? "object key:value pair" : "array element";
    throw invalidCharacter(cursor, `after ${after}`);
  }
  cursor.at += 1;
  return false;
}

function add(container: Container, value: ExactJson): void {
  if (container.kind === "array") container.items.push(value);
  else container.entries.push([container.key, value]);
}

function close(open: Container[]): ExactJson {
  const container = open.pop();
  if (container === undefined) throw new Error("a bracket closes nothing");
  if (container.kind === "array") return container.items;
  const out: { [key: string]: ExactJson } = {};
  for (const [key, value] of container.entries) setOwn(out, key, value);
  const isRepeated = Object.keys(out).length < container.entries.length;
  return isRepeated ? new RepeatedKeys(container.entries) : out;
}

const STRING_ESCAPES = '"\\/bfnrt';

function readString(cursor: Cursor): string {
  const start = cursor.at;
  for (cursor.at += 1; ; cursor.at++) {
    const char = cursor.text.charAt(cursor.at);
    if (char === '"') break;
    if (char === "" || char < " ") throw invalidCharacter(cursor, "in string literal");
    if (char === "\\") readEscape(cursor);
  }
  cursor.at += 1;
  const value = JSON.parse(cursor.text.slice(start, cursor.at)) as string;
  return value.replace(LONE_SURROGATE, "\ufffd");
}

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function readEscape(cursor: Cursor): void {
  cursor.at += 1;
  const char = cursor.text.charAt(cursor.at);
  if (char === "u") {
    for (let digit = 0; digit < 4; digit++) {
      cursor.at += 1;
      if (!/^[0-9a-fA-F]$/.test(cursor.text.charAt(cursor.at))) {
        throw invalidCharacter(cursor, "in \\u hexadecimal character escape");
      }
    }
  } else if (char === "" || !STRING_ESCAPES.includes(char)) {
    throw invalidCharacter(cursor, "in string escape code");
  }
}

function readNumber(cursor: Cursor): number | NumberLiteral {
  const start = cursor.at;
  if (cursor.text.charAt(cursor.at) === "-") cursor.at += 1;
  if (cursor.text.charAt(cursor.at) === "0") cursor.at += 1;
  else readDigits(cursor, "in numeric literal");
  if (cursor.text.charAt(cursor.at) === ".") {
    cursor.at += 1;
    readDigits(cursor, "after decimal point in numeric literal");
  }
  if (/^[eE]$/.test(cursor.text.charAt(cursor.at))) {
    cursor.at += 1;
    if (/^[-+]$/.test(cursor.text.charAt(cursor.at))) cursor.at += 1;
    readDigits(cursor, "in exponent of numeric literal");
  }
  const literal = cursor.text.slice(start, cursor.at);
  const value = Number(literal);
  return Number.isSafeInteger(value) && String(value) === literal
    ? value
    : new NumberLiteral(literal);
}

function readDigits(cursor: Cursor, context: string): void {
  if (!isDigit(cursor.text.charAt(cursor.at))) throw invalidCharacter(cursor, context);
  while (isDigit(cursor.text.charAt(cursor.at))) cursor.at += 1;
}

function readWord<T>(cursor: Cursor, word: string, value: T): T {
  for (const expected of word) {
    if (cursor.text.charAt(cursor.at) !== expected) {
      throw invalidCharacter(cursor, `in literal ${word} (expecting '${expected}')`);
    }
    cursor.at += 1;
  }
  return value;
}

function isDigit(char: string): boolean {
  return char >= "0" && char <= "9";
}

function skipSpace(cursor: Cursor): string {
  for (;;) {
    const char = cursor.text.charAt(cursor.at);
    if (char !== " " && char !== "\t" && char !== "\n" && char !== "\r") return char;
    cursor.at += 1;
  }
}

function invalidCharacter({ text, at }: Cursor, context: string): JsonSyntaxError {
  if (at >= text.length) return new JsonSyntaxError("unexpected end of JSON input");
  return new JsonSyntaxError(`invalid character ${quoteByte(text, at)} ${context}`);
}

/** Go reads bytes, so for a character outside ASCII it prints the first byte. */
function quoteByte(text: string, at: number): string {
  const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
  const byte = String.fromCharCode(Buffer.from(char, "utf8")[0] ?? 0);
  if (byte === "'") return "'\\''";
  if (byte === '"') return `'"'`;
  return `'${quote(byte).slice(1, -1)}'`;
}
