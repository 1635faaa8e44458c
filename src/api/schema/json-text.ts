/**
 * Pure: parses JSON text to a tree, with the errors and the exactness of Go's encoding/json.
 *
 * JSON.parse does the work. A scan of the text detects whether it lost something that Go's decoder
 * would see (a repeated key, a number that is not a plain integer, half of a surrogate pair). Only
 * then, or if the text is malformed, the exact parser reads it again.
 *
 * Numbers are doubles. The exact tree keeps the literals of integers beyond 2^53, so that their
 * range is checked exactly, but an object holds the nearest double.
 */
import type { Json } from "../object.ts";
import { MAX_DEPTH, parseExact } from "./json-exact.ts";
import { type ParsedJson, toPlain } from "./parsed-json.ts";

export { JsonSyntaxError } from "./json-exact.ts";

/** Throws JsonSyntaxError with Go's message: "unexpected end of JSON input". */
export function parseJson(text: string): ParsedJson {
  const value = parseFast(text);
  if (value !== undefined) {
    const seen = scan(text);
    if (!seen.isLossy && seen.depth <= MAX_DEPTH && seen.keys === countKeys(value)) {
      return { value };
    }
  }
  const exact = parseExact(text);
  return { value: toPlain(exact), exact };
}

function parseFast(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

interface Scan {
  readonly keys: number;
  readonly depth: number;
  /** Whether a number or a string contains more than the parsed value. */
  readonly isLossy: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const MAX_EXACT_DIGITS = 15;

/** Expects valid JSON. Outside of strings a colon occurs only after a key. */
function scan(text: string): Scan {
  let keys = 0;
  let depth = 0;
  let deepest = 0;
  let digits = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x30 && code <= 0x39) {
      digits += 1;
      if (digits > MAX_EXACT_DIGITS) return { keys, depth, isLossy: true };
      continue;
    }
    // A fraction or an exponent follows digits, unlike the e in true and false.
    if (digits > 0 && (code === 0x2e || code === 0x65 || code === 0x45)) {
      return { keys, depth, isLossy: true };
    }
    digits = 0;
    if (code === QUOTE) {
      const end = endOfString(text, at);
      if (end === undefined) return { keys, depth, isLossy: true };
      at = end;
    } else if (code === COLON) keys += 1;
    else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
    else if (code === 0x2d && text.charCodeAt(at + 1) === 0x30) {
      return { keys, depth, isLossy: true };
    }
  }
  return { keys, depth: deepest, isLossy: false };
}

/**
 * The position of the closing quote; undefined if the string may contain half of a surrogate pair.
 */
function endOfString(text: string, start: number): number | undefined {
  for (let from = start + 1; ; ) {
    const end = text.indexOf('"', from);
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) {
      const content = text.slice(start, end);
      return content.includes("\\u") && /\\u[dD][89a-fA-F]/.test(content) ? undefined : end;
    }
    from = end + 1;
  }
}

function countKeys(value: Json): number {
  let count = 0;
  const rest: Json[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (next === null || typeof next !== "object") continue;
    if (Array.isArray(next)) {
      for (const item of next) if (typeof item === "object") rest.push(item);
      continue;
    }
    for (const key of Object.keys(next)) {
      const item = next[key];
      count += 1;
      if (item !== null && typeof item === "object") rest.push(item);
    }
  }
  return count;
}
