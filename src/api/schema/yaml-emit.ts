/** Pure: writes the scalars of a YAML text: style, quoting and folding like libyaml. */
import { isBase60, resolveScalar } from "./yaml-scalars.ts";

export interface Emitter {
  out: string;
  column: number;
  /** Whether only spaces were written since the last indicator or line start. */
  isAfterSpace: boolean;
  /** Whether the line so far is only indentation and indicators such as "-". */
  isIndention: boolean;
}

export interface ScalarPlace {
  /** Where continuation lines start. */
  readonly indent: number;
  /** Keys stay on one line. */
  readonly isKey: boolean;
}

const BEST_WIDTH = 80;

export function newEmitter(): Emitter {
  return { out: "", column: 0, isAfterSpace: true, isIndention: true };
}

/** Starts a line at the indent, unless that is where the emitter stands. */
export function writeIndent(emitter: Emitter, indent: number): void {
  const isThere = emitter.column === indent && emitter.isAfterSpace;
  if (!emitter.isIndention || emitter.column > indent || !(emitter.column < indent || isThere)) {
    newLine(emitter);
  }
  if (emitter.column < indent) put(emitter, " ".repeat(indent - emitter.column));
  emitter.isAfterSpace = true;
  emitter.isIndention = true;
}

export function writeIndicator(
  emitter: Emitter,
  indicator: string,
  { isAttached = false, isIndention = false },
): void {
  if (!isAttached && !emitter.isAfterSpace) put(emitter, " ");
  put(emitter, indicator);
  emitter.isAfterSpace = false;
  emitter.isIndention = emitter.isIndention && isIndention;
}

/** A number, true, null, or an empty collection. */
export function writeWord(emitter: Emitter, word: string): void {
  writeIndicator(emitter, word, {});
}

export function writeScalar(emitter: Emitter, text: string, place: ScalarPlace): void {
  switch (styleOf(text, place)) {
    case "plain":
      writePlain(emitter, text, place);
      break;
    case "single":
      writeSingleQuoted(emitter, text, place);
      break;
    case "double":
      writeDoubleQuoted(emitter, text, place);
      break;
    case "literal":
      writeLiteral(emitter, text, place);
      break;
  }
  emitter.isAfterSpace = false;
  emitter.isIndention = false;
}

type Style = "plain" | "single" | "double" | "literal";

/**
 * A text that would be read back as something else is quoted; a text of several lines is kept as it
 * is.
 */
function styleOf(text: string, place: ScalarPlace): Style {
  if (HAS_SPECIAL.test(text) || / \n/.test(text)) return "double";
  if (text.includes("\n")) return place.isKey || text.endsWith(" ") ? "double" : "literal";
  if (resolveScalar(text).kind !== "string" || isBase60(text)) return "double";
  return PLAIN_FORBIDDEN.test(text) ? "single" : "plain";
}

/**
 * Characters that libyaml does not print, except line feeds: tabs, controls, and those beyond 16
 * bits.
 */
const HAS_SPECIAL = /[^\n -~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;

const PLAIN_FORBIDDEN =
  /^(?:---|\.\.\.)|^[#,[\]{}&*!|>'"%@`]|^[?:-](?:[ \t]|$)|^ | $|:(?:[ \t]|$)|[ \t]#/;

function writePlain(emitter: Emitter, text: string, place: ScalarPlace): void {
  if (!emitter.isAfterSpace) put(emitter, " ");
  writeFolded(emitter, text, place, { from: 0, to: text.length });
}

function writeSingleQuoted(emitter: Emitter, text: string, place: ScalarPlace): void {
  writeIndicator(emitter, "'", {});
  writeFolded(emitter, text, place, { from: 1, to: text.length - 1 });
  put(emitter, "'");
}

interface FoldRange {
  readonly from: number;
  readonly to: number;
}

/** A single space beyond the width becomes a line break if it is within the range. */
function writeFolded(emitter: Emitter, text: string, place: ScalarPlace, range: FoldRange): void {
  const isQuoted = range.from > 0;
  let afterSpace = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    const isLone = char === " " && !afterSpace && text.charAt(at + 1) !== " ";
    const isInside = at >= range.from && at < range.to;
    if (isLone && isInside && !place.isKey && emitter.column > BEST_WIDTH) {
      writeIndent(emitter, place.indent);
    } else {
      put(emitter, isQuoted && char === "'" ? "''" : char);
    }
    if (char !== " ") emitter.isIndention = false;
    afterSpace = char === " ";
  }
}

function writeDoubleQuoted(emitter: Emitter, text: string, place: ScalarPlace): void {
  writeIndicator(emitter, '"', {});
  const chars = [...text];
  let afterSpace = false;
  for (const [at, char] of chars.entries()) {
    const isInside = at > 0 && at < chars.length - 1;
    if (char === " " && !afterSpace && isInside && !place.isKey && emitter.column > BEST_WIDTH) {
      writeIndent(emitter, place.indent);
      if (chars[at + 1] === " ") put(emitter, "\\");
    } else {
      put(emitter, escapeChar(char));
    }
    if (char !== " ") emitter.isIndention = false;
    afterSpace = char === " ";
  }
  put(emitter, '"');
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\0", "\\0"],
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\t", "\\t"],
  ["\n", "\\n"],
  ["\v", "\\v"],
  ["\f", "\\f"],
  ["\r", "\\r"],
  ["\x1b", "\\e"],
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\x85", "\\N"],
  ["\u2028", "\\L"],
  ["\u2029", "\\P"],
]);

function escapeChar(char: string): string {
  const short = ESCAPES.get(char);
  if (short !== undefined) return short;
  if (!HAS_SPECIAL.test(char)) return char;
  const hex = (char.codePointAt(0) ?? 0).toString(16).toUpperCase();
  if (hex.length <= 2) return `\\x${hex.padStart(2, "0")}`;
  return hex.length <= 4 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

function writeLiteral(emitter: Emitter, text: string, place: ScalarPlace): void {
  writeIndicator(emitter, "|", {});
  put(emitter, `${/^[ \n]/.test(text) ? "2" : ""}${chompHint(text)}`);
  newLine(emitter);
  const lines = (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
  for (const [index, line] of lines.entries()) {
    if (index > 0) newLine(emitter);
    if (line !== "") put(emitter, " ".repeat(place.indent) + line);
  }
}

/** How the line feeds at the end are kept: "-" if there is none, "+" if more than one. */
function chompHint(text: string): string {
  if (!text.endsWith("\n")) return "-";
  return text === "\n" || text.endsWith("\n\n") ? "+" : "";
}

function put(emitter: Emitter, text: string): void {
  emitter.out += text;
  emitter.column += text.length;
}

function newLine(emitter: Emitter): void {
  emitter.out += "\n";
  emitter.column = 0;
}
