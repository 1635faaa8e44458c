/**
 * The sources as the rules of tidy see them: read once, with a copy in which comments and the
 * contents of strings are blanked. Otherwise a rule about code would match text.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

export interface Import {
  readonly line: number;
  /** "../api/names.ts", "node:fs" or "yaml". */
  readonly specifier: string;
  /** The file inside the repository, undefined for packages and Node's own modules. */
  readonly target: string | undefined;
  /** Whether the import disappears in compilation. */
  readonly isTypeOnly: boolean;
}

export interface SourceFile {
  /** From the root of the repository: "src/api/names.ts". */
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
  /** The lines with comments and strings blanked. */
  readonly code: readonly string[];
  readonly imports: readonly Import[];
}

/** Reads all files below a folder whose names end in one of the endings. */
export function readTree(folder: string, endings: readonly string[]): SourceFile[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(ROOT.length + 1))
    .sort()
    .map((path) => parseSource(path, readFileSync(join(ROOT, path), "utf8")));
}

export function parseSource(path: string, text: string): SourceFile {
  const code = maskTexts(text);
  const lines = text.split("\n");
  return { path, text, lines, code: code.split("\n"), imports: findImports(path, text, code) };
}

/** Matches static imports, dynamic imports and re-exports, also if they span lines. */
const IMPORT =
  /\b(import|export)\b(\s+type\b)?([^"'`;()]*?)\bfrom\s*(?=["'])|\bimport\s*\(?\s*(?=["'])/g;

function findImports(path: string, text: string, code: string): Import[] {
  return [...code.matchAll(IMPORT)].map((match) => {
    const at = match.index + match[0].length;
    const specifier = /^["']([^"'\n]*)/.exec(text.slice(at))?.[1] ?? "";
    const isRelative = specifier.startsWith(".");
    return {
      line: text.slice(0, at).split("\n").length,
      specifier,
      target: isRelative ? normalize(join(dirname(path), specifier)) : undefined,
      isTypeOnly: match[2] !== undefined || areAllTypes(match[3] ?? ""),
    };
  });
}

/** "{ type Kind, type Rules }" is equivalent to "type { Kind, Rules }". */
function areAllTypes(clause: string): boolean {
  const names = /\{([^}]*)\}/.exec(clause)?.[1]?.split(",") ?? [];
  const named = names.map((name) => name.trim()).filter((name) => name !== "");
  return named.length > 0 && named.every((name) => name.startsWith("type "));
}

/** What can precede a slash that opens a regular expression, as opposed to a division. */
const BEFORE_REGEX = /(^|[([{,;:=!&|?+\-*%~^<>]|\b(return|typeof|case|in|of|await))\s*$/;

/**
 * Blanks comments, strings, templates and regular expressions. Quotes and line breaks stay, so that
 * positions do not change. Code inside a template's braces stays too.
 */
export function maskTexts(text: string): string {
  let out = "";
  let at = 0;
  /** The depth of braces inside each open template. */
  const templates: number[] = [];
  const blank = (end: number) => {
    out += text.slice(at, end).replace(/[^\n]/g, " ");
    at = end;
  };
  const quoted = (end: number) => {
    const [first, last] = [text[at] ?? "", text[end - 1] ?? ""];
    out += first;
    at++;
    blank(end - 1);
    out += last;
    at = end;
  };
  while (at < text.length) {
    const rest = text.slice(at, at + 2);
    const char = text[at] ?? "";
    if (rest === "//") blank(endOf(text, at, /\n|$/g));
    else if (rest === "/*") blank(endOf(text, at + 2, /\*\/|$/g, "inclusive"));
    else if (char === '"' || char === "'") quoted(endOfQuoted(text, at + 1, char));
    else if (char === "/" && BEFORE_REGEX.test(out.slice(-20))) quoted(endOfRegex(text, at + 1));
    else if (char === "`" || (char === "}" && templates.at(-1) === 0)) {
      if (char === "}") templates.pop();
      const { end, opensCode } = endOfTemplatePart(text, at + 1);
      quoted(end);
      if (opensCode) templates.push(0);
    } else {
      const depth = templates.at(-1);
      if (depth !== undefined && char === "{") templates[templates.length - 1] = depth + 1;
      if (depth !== undefined && char === "}") templates[templates.length - 1] = depth - 1;
      out += char;
      at++;
    }
  }
  return out;
}

function endOf(text: string, from: number, pattern: RegExp, mode?: "inclusive"): number {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  if (!match) return text.length;
  return mode ? match.index + match[0].length : match.index;
}

function endOfQuoted(text: string, from: number, quote: string): number {
  let at = from;
  while (at < text.length && text[at] !== quote && text[at] !== "\n") at += escapeWidth(text, at);
  return Math.min(at + 1, text.length);
}

function endOfRegex(text: string, from: number): number {
  let at = from;
  let inClass = false;
  while (at < text.length && (inClass || text[at] !== "/") && text[at] !== "\n") {
    if (text[at] === "[") inClass = true;
    if (text[at] === "]") inClass = false;
    at += escapeWidth(text, at);
  }
  return Math.min(at + 1, text.length);
}

function endOfTemplatePart(text: string, from: number): { end: number; opensCode: boolean } {
  let at = from;
  while (at < text.length) {
    if (text[at] === "`") return { end: at + 1, opensCode: false };
    if (text.startsWith("${", at)) return { end: at + 2, opensCode: true };
    at += escapeWidth(text, at);
  }
  return { end: text.length, opensCode: false };
}

function escapeWidth(text: string, at: number): number {
  return text[at] === "\\" ? 2 : 1;
}
