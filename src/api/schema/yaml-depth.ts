/**
 * Pure: the nesting depth of a YAML text, determined without recursion before it is parsed. The
 * library recurses for every level, and a stack overflow in the wrong place would end the process.
 */
import { Lexer } from "yaml";

/** Deeper than any real object, and well within what the library can handle. */
export const MAX_YAML_DEPTH = 500;

export function isTooDeep(text: string): boolean {
  if (deepestBlock(text) > MAX_YAML_DEPTH) return true;
  // The first check also counts brackets within texts; only the second one can tell them apart.
  return deepestBrackets(text) > MAX_YAML_DEPTH && deepestFlow(text) > MAX_YAML_DEPTH;
}

const SPACE = 0x20;
const TAB = 0x09;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** Characters that start an element, a key or a value if a space or the end of the line follows. */
const INDICATORS: readonly number[] = [0x2d, 0x3f, 0x3a];

/** Each column at which something starts inside of what started further left is one level. */
function deepestBlock(text: string): number {
  const columns: number[] = [];
  let deepest = 0;
  let at = 0;
  while (at < text.length) {
    const start = at;
    for (;;) {
      while (isSpace(text.charCodeAt(at))) at++;
      if (at >= text.length || isBreak(text.charCodeAt(at))) break;
      nest(columns, at - start);
      deepest = Math.max(deepest, columns.length);
      if (!isIndicator(text, at)) break;
      at++;
    }
    const end = text.indexOf("\n", at);
    at = end < 0 ? text.length : end + 1;
  }
  return deepest;
}

function nest(columns: number[], column: number): void {
  while ((columns.at(-1) ?? -1) > column) columns.pop();
  if (columns.at(-1) !== column) columns.push(column);
}

function isIndicator(text: string, at: number): boolean {
  if (!INDICATORS.includes(text.charCodeAt(at))) return false;
  const next = text.charCodeAt(at + 1);
  return Number.isNaN(next) || isSpace(next) || isBreak(next);
}

function isSpace(code: number): boolean {
  return code === SPACE || code === TAB;
}

function isBreak(code: number): boolean {
  return code === NEWLINE || code === RETURN;
}

/** A closing bracket without an opening one is ignored: it may be part of a text. */
function deepestBrackets(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5b || code === 0x7b) deepest = Math.max(deepest, ++depth);
    else if ((code === 0x5d || code === 0x7d) && depth > 0) depth--;
  }
  return deepest;
}

/** The tokens distinguish brackets from texts, and finding them takes no recursion. */
function deepestFlow(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === "[" || token === "{") deepest = Math.max(deepest, ++depth);
    else if ((token === "]" || token === "}") && depth > 0) depth--;
    if (deepest > MAX_YAML_DEPTH) break;
  }
  return deepest;
}
