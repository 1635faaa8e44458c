/**
 * Pure: kubectl's JSONPath templates: "{range .items[*]}{.metadata.name}{'\n'}{end}".
 *
 * Reading order: this file (templates), api/json-path (the path within braces).
 */

import { evaluatePath, type Path, PathError, parsePath } from "../../api/json-path.ts";
import { compactJson } from "../../command/json-format.ts";

export type Template = readonly Part[];

type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "path"; readonly path: Path }
  | { readonly kind: "range"; readonly path: Path; readonly body: Template };

/** Throws a PathError that says what is wrong. */
export function parseTemplate(text: string): Template {
  const reader = { tokens: tokensOf(text), at: 0 };
  const template = readParts(reader);
  if (reader.at < reader.tokens.length) throw new PathError("not in range, nothing to end");
  return template;
}

export function printTemplate(template: Template, root: unknown): string {
  return template.map((part) => printPart(part, { root, current: root })).join("");
}

interface Scope {
  readonly root: unknown;
  readonly current: unknown;
}

function printPart(part: Part, scope: Scope): string {
  if (part.kind === "text") return part.text;
  const values = evaluatePath(part.path, scope);
  if (part.kind === "path") return values.map(printValue).join(" ");
  return values
    .map((current) => part.body.map((each) => printPart(each, { ...scope, current })).join(""))
    .join("");
}

export function printValue(value: unknown): string {
  if (typeof value === "string") return value;
  return value === null ? "" : compactJson(value);
}

type Token =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "action"; readonly text: string };

/** Braces within quotes do not count. */
function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const pattern = /\{((?:[^{}"']|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')*)\}/y;
  let at = 0;
  while (at < text.length) {
    pattern.lastIndex = at;
    const action = pattern.exec(text);
    if (action) {
      tokens.push({ kind: "action", text: (action[1] ?? "").trim() });
      at = pattern.lastIndex;
      continue;
    }
    if (text[at] === "{") throw new PathError("unclosed action");
    const next = text.indexOf("{", at);
    const end = next < 0 ? text.length : next;
    tokens.push({ kind: "text", text: text.slice(at, end) });
    at = end;
  }
  return tokens;
}

interface Reader {
  readonly tokens: readonly Token[];
  at: number;
}

/** Up to the end of the text, or to the "end" of the range it is called for. */
function readParts(reader: Reader): Template {
  const parts: Part[] = [];
  for (;;) {
    const token = reader.tokens[reader.at];
    if (token === undefined || (token.kind === "action" && token.text === "end")) return parts;
    reader.at += 1;
    parts.push(...(token.kind === "text" ? [token] : readAction(token.text, reader)));
  }
}

function readAction(text: string, reader: Reader): readonly Part[] {
  const range = /^range\s+(.*)$/s.exec(text)?.[1];
  if (range !== undefined) {
    const body = readParts(reader);
    if (reader.at >= reader.tokens.length) throw new PathError("unclosed range");
    reader.at += 1;
    return [{ kind: "range", path: parsePath(range), body }];
  }
  if (/^["']/.test(text)) return [{ kind: "text", text: unquote(text) }];
  return [{ kind: "path", path: parsePath(text) }];
}

const ESCAPES: { readonly [char: string]: string } = { n: "\n", t: "\t", r: "\r" };

export function unquote(text: string): string {
  return text.slice(1, -1).replace(/\\(.)/gs, (_, char: string) => ESCAPES[char] ?? char);
}
