/** Pure: parses the text of an expression to its syntax tree. */
import { ExpressionError, type ListItem, type MapEntry, type Node } from "./ast.ts";
import { type Token, tokensOf } from "./lexer.ts";
import { expandMacro } from "./macros.ts";
import { isDeeper } from "./tree-depth.ts";

/** Deeper than any real expression, and well within the limits of recursion. */
const MAX_DEPTH = 250;
/** The maximum depth of the tree, because functions that process it recurse for every level. */
const MAX_TREE_DEPTH = 500;
const MAX_LENGTH = 100_000;

/** Throws ExpressionError. */
export function parseExpression(source: string): Node {
  if (source.length > MAX_LENGTH) throw new ExpressionError("expression is too long", 0);
  const reader: Reader = { tokens: tokensOf(source), place: 0, depth: 0 };
  const node = readTernary(reader);
  const rest = peek(reader);
  if (rest.kind !== "end") throw unexpected(rest, "<EOF>");
  if (isDeeper(node, MAX_TREE_DEPTH)) throw tooDeep(MAX_TREE_DEPTH, 0);
  return node;
}

interface Reader {
  readonly tokens: readonly Token[];
  place: number;
  depth: number;
}

function peek({ tokens, place }: Reader): Token {
  return tokens[Math.min(place, tokens.length - 1)] as Token;
}

function next(reader: Reader): Token {
  const token = peek(reader);
  reader.place += 1;
  return token;
}

function isNext(reader: Reader, symbol: string): boolean {
  const { kind, text } = peek(reader);
  return kind === "symbol" && text === symbol;
}

function take(reader: Reader, symbol: string): boolean {
  if (!isNext(reader, symbol)) return false;
  reader.place += 1;
  return true;
}

function expect(reader: Reader, symbol: string): void {
  if (!take(reader, symbol)) throw unexpected(peek(reader), `'${symbol}'`);
}

function unexpected({ text, at, kind }: Token, wanted: string): ExpressionError {
  const shown = kind === "end" ? text : `'${text}'`;
  return new ExpressionError(`Syntax error: mismatched input ${shown} expecting ${wanted}`, at);
}

function deeper<T>(reader: Reader, read: () => T): T {
  reader.depth += 1;
  if (reader.depth > MAX_DEPTH) throw tooDeep(MAX_DEPTH, peek(reader).at);
  const found = read();
  reader.depth -= 1;
  return found;
}

function tooDeep(limit: number, at: number): ExpressionError {
  return new ExpressionError(`expression recursion limit exceeded: ${limit}`, at);
}

function readTernary(reader: Reader): Node {
  return deeper(reader, () => {
    const condition = readBinary(reader, 0);
    const { at } = peek(reader);
    if (!take(reader, "?")) return condition;
    const then = readBinary(reader, 0);
    expect(reader, ":");
    const otherwise = readTernary(reader);
    return { op: "call", at, name: "_?_:_", arguments: [condition, then, otherwise] };
  });
}

/** The binary operators, from the lowest to the highest precedence. */
const LEVELS: readonly (readonly string[])[] = [
  ["||"],
  ["&&"],
  ["<", "<=", ">=", ">", "==", "!=", "in"],
  ["+", "-"],
  ["*", "/", "%"],
];

function readBinary(reader: Reader, level: number): Node {
  const operators = LEVELS[level];
  if (!operators) return readUnary(reader);
  let left = readBinary(reader, level + 1);
  for (;;) {
    const { kind, text, at } = peek(reader);
    const isOperator = operators.includes(text) && (kind === "symbol" || text === "in");
    if (!isOperator || (text === "in" && kind !== "identifier")) return left;
    reader.place += 1;
    const right = readBinary(reader, level + 1);
    const name = text === "in" ? "@in" : `_${text}_`;
    left = { op: "call", at, name, arguments: [left, right] };
  }
}

function readUnary(reader: Reader): Node {
  const { at } = peek(reader);
  for (const symbol of ["!", "-"]) {
    if (!isNext(reader, symbol)) continue;
    return deeper(reader, () => {
      reader.place += 1;
      const number = symbol === "-" ? readNegative(reader, at) : undefined;
      const operand = number ?? readUnary(reader);
      return number ? operand : { op: "call", at, name: `${symbol}_`, arguments: [operand] };
    });
  }
  return readMember(reader);
}

/** The sign is part of the literal, so that the smallest integer can be written. */
function readNegative(reader: Reader, at: number): Node | undefined {
  const { kind, text } = peek(reader);
  if (kind !== "int" && kind !== "double") return undefined;
  reader.place += 1;
  const literal = { ...numberNode(kind, `-${text}`, at) };
  return readSuffixes(reader, literal);
}

function numberNode(kind: string, text: string, at: number): Node {
  if (kind === "double") return { op: "constant", at, value: Number(text), type: "double" };
  const value = text.startsWith("-") ? -BigInt(text.slice(1)) : BigInt(text);
  if (value > 2n ** 63n - 1n || value < -(2n ** 63n)) {
    throw new ExpressionError("invalid int literal", at);
  }
  return { op: "constant", at, value, type: "int" };
}

function readMember(reader: Reader): Node {
  return readSuffixes(reader, readPrimary(reader));
}

function readSuffixes(reader: Reader, start: Node): Node {
  let node = start;
  for (;;) {
    const { at } = peek(reader);
    if (take(reader, ".")) {
      const isOptional = take(reader, "?");
      const field = next(reader);
      if (field.kind !== "identifier") throw unexpected(field, "IDENTIFIER");
      if (!isOptional && isNext(reader, "(")) {
        const list = readArguments(reader);
        node = expandMacro({ at: field.at, name: field.text, target: node, arguments: list });
      } else {
        node = { op: "select", at, operand: node, field: field.text, isOptional, isTest: false };
      }
    } else if (take(reader, "[")) {
      const isOptional = take(reader, "?");
      const index = readTernary(reader);
      expect(reader, "]");
      node = { op: "index", at, operand: node, index, isOptional };
    } else return node;
  }
}

function readArguments(reader: Reader): readonly Node[] {
  expect(reader, "(");
  const list: Node[] = [];
  if (take(reader, ")")) return list;
  do list.push(readTernary(reader));
  while (take(reader, ","));
  expect(reader, ")");
  return list;
}

const CONSTANTS: { readonly [word: string]: { value: boolean | null; type: string } } = {
  true: { value: true, type: "bool" },
  false: { value: false, type: "bool" },
  null: { value: null, type: "null" },
};

const RESERVED: ReadonlySet<string> = new Set(
  (
    "as break const continue else for function if import in let loop namespace package return " +
    "var void while"
  ).split(" "),
);

function readPrimary(reader: Reader): Node {
  const token = next(reader);
  const { kind, text, at } = token;
  switch (kind) {
    case "int":
    case "double":
      return numberNode(kind, text, at);
    case "uint":
      return { op: "call", at, name: "uint", arguments: [numberNode("int", text, at)] };
    case "string":
      return { op: "constant", at, value: text, type: "string" };
    case "bytes":
      return { op: "constant", at, value: token.bytes ?? new Uint8Array(), type: "bytes" };
    case "identifier":
      return readWord(reader, token);
    case "symbol":
      break;
    case "end":
      throw unexpected(token, "an expression");
  }
  if (text === "(") {
    const inner = readTernary(reader);
    expect(reader, ")");
    return inner;
  }
  if (text === "[") return readList(reader, at);
  if (text === "{") return readMap(reader, at);
  if (text === "." && peek(reader).kind === "identifier") return readPrimary(reader);
  throw unexpected(token, "an expression");
}

function readWord(reader: Reader, { text, at }: Token): Node {
  const constant = Object.hasOwn(CONSTANTS, text) ? CONSTANTS[text] : undefined;
  if (constant) return { op: "constant", at, ...constant };
  if (RESERVED.has(text)) throw new ExpressionError(`reserved identifier: ${text}`, at);
  if (!isNext(reader, "(")) return { op: "identifier", at, name: text };
  return expandMacro({ at, name: text, arguments: readArguments(reader) });
}

function readList(reader: Reader, at: number): Node {
  const items: ListItem[] = [];
  while (!take(reader, "]")) {
    if (items.length > 0) {
      expect(reader, ",");
      if (take(reader, "]")) break;
    }
    const isOptional = take(reader, "?");
    items.push({ node: readTernary(reader), isOptional });
  }
  return { op: "list", at, items };
}

function readMap(reader: Reader, at: number): Node {
  const entries: MapEntry[] = [];
  while (!take(reader, "}")) {
    if (entries.length > 0) {
      expect(reader, ",");
      if (take(reader, "}")) break;
    }
    const isOptional = take(reader, "?");
    const key = readTernary(reader);
    expect(reader, ":");
    entries.push({ key, value: readTernary(reader), isOptional });
  }
  return { op: "map", at, entries };
}
