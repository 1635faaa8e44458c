/** Pure: why a text is not a JSON object, with the messages of Go's encoding/json. */
import { quote } from "../../api/finding.ts";

const NUMBER_PARTS: readonly (readonly [RegExp, string])[] = [
  [/-?(0|[1-9]\d*)?/y, "in numeric literal"],
  [/(\.\d*)?/y, "after decimal point in numeric literal"],
  [/([eE][+-]?\d*)?/y, "in exponent of numeric literal"],
];

/**
 * Undefined if the text is a JSON object or null. Go reads bytes, so the text must have one
 * character per byte.
 */
export function jsonObjectProblem(text: string): string | undefined {
  try {
    new Scanner(text).document();
  } catch (problem) {
    if (problem instanceof SyntaxProblem) return problem.message;
    throw problem;
  }
  const value: unknown = JSON.parse(text);
  if (value === null || (typeof value === "object" && !Array.isArray(value))) return undefined;
  const found = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return `json: cannot unmarshal ${found} into Go value of type map[string]interface {}`;
}

class SyntaxProblem extends Error {}

class Scanner {
  private at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  document(): void {
    this.value();
    this.space();
    if (this.at < this.text.length) this.fail("after top-level value");
  }

  private value(): void {
    this.space();
    const char = this.peek();
    if (char === "{") this.object();
    else if (char === "[") this.array();
    else if (char === '"') this.string();
    else if (char === "-" || /[0-9]/.test(char)) this.number();
    else if (char === "t") this.literal("true");
    else if (char === "f") this.literal("false");
    else if (char === "n") this.literal("null");
    else this.fail("looking for beginning of value");
  }

  private object(): void {
    this.at++;
    this.space();
    if (this.take("}")) return;
    for (;;) {
      this.space();
      if (this.peek() !== '"') this.fail("looking for beginning of object key string");
      this.string();
      this.space();
      if (!this.take(":")) this.fail("after object key");
      this.value();
      this.space();
      if (this.take("}")) return;
      if (!this.take(",")) this.fail("after object key:value pair");
    }
  }

  private array(): void {
    this.at++;
    this.space();
    if (this.take("]")) return;
    for (;;) {
      this.value();
      this.space();
      if (this.take("]")) return;
      if (!this.take(",")) this.fail("after array element");
    }
  }

  private string(): void {
    this.at++;
    for (;;) {
      const char = this.peek();
      if (char < " ") this.fail("in string literal");
      this.at++;
      if (char === '"') return;
      if (char === "\\") this.escape();
    }
  }

  private escape(): void {
    const char = this.peek();
    if (!'"\\/bfnrtu'.includes(char)) this.fail("in string escape code");
    this.at++;
    if (char !== "u") return;
    for (let digit = 0; digit < 4; digit++) {
      if (!/[0-9a-fA-F]/.test(this.peek())) this.fail("in \\u hexadecimal character escape");
      this.at++;
    }
  }

  private number(): void {
    for (const [part, problem] of NUMBER_PARTS) {
      part.lastIndex = this.at;
      const matched = part.exec(this.text)?.[0] ?? "";
      this.at += matched.length;
      if (matched !== "" && !/\d$/.test(matched)) this.fail(problem);
    }
  }

  private literal(word: string): void {
    for (const expected of word) {
      if (this.peek() !== expected) {
        this.fail(
          this.at === 0 ? "looking for beginning of value" : literalProblem(word, expected),
        );
      }
      this.at++;
    }
  }

  private space(): void {
    while (" \t\r\n".includes(this.text.charAt(this.at)) && this.at < this.text.length) this.at++;
  }

  private take(char: string): boolean {
    if (this.peek() !== char) return false;
    this.at++;
    return true;
  }

  private peek(): string {
    if (this.at >= this.text.length) throw new SyntaxProblem("unexpected end of JSON input");
    return this.text.charAt(this.at);
  }

  private fail(where: string): never {
    throw new SyntaxProblem(`invalid character ${quoteChar(this.peek())} ${where}`);
  }
}

function literalProblem(word: string, expected: string): string {
  return `in literal ${word} (expecting ${quoteChar(expected)})`;
}

function quoteChar(char: string): string {
  if (char === "'") return "'\\''";
  if (char === '"') return "'\"'";
  return `'${quote(char).slice(1, -1)}'`;
}
