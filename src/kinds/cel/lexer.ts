/** Pure: splits an expression into tokens. */
import { ExpressionError } from "./ast.ts";

export interface Token {
  readonly kind: "identifier" | "int" | "uint" | "double" | "string" | "bytes" | "symbol" | "end";
  /** As written; for a string, its value. */
  readonly text: string;
  readonly bytes?: Uint8Array;
  readonly at: number;
}

const SYMBOL = /==|!=|<=|>=|&&|\|\||[-+*/%!<>=?:.,()[\]{}]/y;
const SPACE = /(?:\s|\/\/[^\n]*)+/y;
const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]*/y;
const QUOTED_FIELD = /`[A-Za-z0-9_.\-/ ]+`/y;
const NUMBER =
  /0[xX][0-9a-fA-F]+[uU]?|(?:\d+\.\d+|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+[uU]?/y;
const LONG_STRING = /([bB]?)("""[\s\S]*?(?<!\\)"""|'''[\s\S]*?(?<!\\)''')/y;
const STRING = /([bB]?)("(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*')/y;
const RAW = /([rR]|[bB][rR]|[rR][bB])("""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n]*"|'[^'\n]*')/y;

export function tokensOf(source: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    const space = matchAt(SPACE, source, at);
    if (space) {
      at += space[0].length;
      continue;
    }
    const token = readToken(source, at);
    tokens.push(token.token);
    at += token.length;
  }
  return [...tokens, { kind: "end", text: "<EOF>", at: source.length }];
}

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(source);
}

function readToken(source: string, at: number): { token: Token; length: number } {
  const raw = matchAt(RAW, source, at);
  const text = raw ?? matchAt(LONG_STRING, source, at) ?? matchAt(STRING, source, at);
  if (text) {
    const [whole, prefix = "", quoted = ""] = text;
    return { token: stringToken(prefix.toLowerCase(), quoted, at), length: whole.length };
  }
  const number = matchAt(NUMBER, source, at);
  if (number) return { token: numberToken(number[0], at), length: number[0].length };
  const field = matchAt(QUOTED_FIELD, source, at);
  if (field) {
    const name = field[0].slice(1, -1);
    return { token: { kind: "identifier", text: name, at }, length: field[0].length };
  }
  const identifier = matchAt(IDENTIFIER, source, at);
  if (identifier) {
    const [word] = identifier;
    return { token: { kind: "identifier", text: word, at }, length: word.length };
  }
  const symbol = matchAt(SYMBOL, source, at);
  if (symbol) {
    return { token: { kind: "symbol", text: symbol[0], at }, length: symbol[0].length };
  }
  const char = String.fromCodePoint(source.codePointAt(at) ?? 0);
  throw new ExpressionError(`Syntax error: token recognition error at: '${char}'`, at);
}

function numberToken(text: string, at: number): Token {
  if (/[uU]$/.test(text)) return { kind: "uint", text: text.slice(0, -1), at };
  const isDouble = !/^0[xX]/.test(text) && /[.eE]/.test(text);
  return { kind: isDouble ? "double" : "int", text, at };
}

function stringToken(prefix: string, quoted: string, at: number): Token {
  const width = quoted.startsWith('"""') || quoted.startsWith("'''") ? 3 : 1;
  const inner = quoted.slice(width, -width);
  const isBytes = prefix.includes("b");
  if (prefix.includes("r")) {
    if (!isBytes) return { kind: "string", text: inner, at };
    return { kind: "bytes", text: inner, bytes: Buffer.from(inner), at };
  }
  if (!isBytes) return { kind: "string", text: unescaped(inner, at), at };
  return { kind: "bytes", text: inner, bytes: unescapedBytes(inner, at), at };
}

const SIMPLE: { readonly [char: string]: string } = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "?": "?",
  '"': '"',
  "'": "'",
  "`": "`",
};
const ESCAPE =
  /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([\s\S]))/g;

function codeOf(hex?: string, short?: string, long?: string, octal?: string): number | undefined {
  if (octal !== undefined) return Number.parseInt(octal, 8);
  const digits = hex ?? short ?? long;
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}

function unescaped(text: string, at: number): string {
  return text.replace(ESCAPE, (whole, hex, short, long, octal, char) => {
    const code = codeOf(hex, short, long, octal);
    if (code !== undefined && code <= 0x10ffff) return String.fromCodePoint(code);
    const simple = SIMPLE[char as string];
    if (simple === undefined) throw new ExpressionError(`Syntax error: bad escape ${whole}`, at);
    return simple;
  });
}

/** Escapes are single bytes; all other characters are encoded as UTF-8. */
function unescapedBytes(text: string, at: number): Uint8Array {
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const found of text.matchAll(ESCAPE)) {
    parts.push(Buffer.from(text.slice(from, found.index)));
    const [whole, hex, short, long, octal] = found;
    const code = short || long ? undefined : codeOf(hex, undefined, undefined, octal);
    parts.push(code === undefined ? Buffer.from(unescaped(whole, at)) : Buffer.of(code));
    from = found.index + whole.length;
  }
  return Buffer.concat([...parts, Buffer.from(text.slice(from))]);
}
