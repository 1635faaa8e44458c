/** Pure: a validation error of a field, in the format of Kubernetes' field.Error. */

export type FindingType =
  | "Required"
  | "Invalid"
  | "TypeInvalid"
  | "NotSupported"
  | "Duplicate"
  | "Forbidden"
  | "NotFound"
  | "TooLong"
  | "TooMany"
  | "Internal";

export interface Finding {
  readonly type: FindingType;
  /** "spec.template.spec.containers[0].name" */
  readonly field: string;
  /**
   * The text after the field: "Invalid value: \"x\": must be …".
   */
  readonly message: string;
}

/** Pass it as a value that the message must not show. */
export const OMITTED: unique symbol = Symbol("omitted value");

const WORDS: Record<FindingType, string> = {
  Required: "Required value",
  Invalid: "Invalid value",
  TypeInvalid: "Invalid value",
  NotSupported: "Unsupported value",
  Duplicate: "Duplicate value",
  Forbidden: "Forbidden",
  NotFound: "Not found",
  TooLong: "Too long",
  TooMany: "Too many",
  Internal: "Internal error",
};

export function required(field: string, detail = ""): Finding {
  return finding("Required", field, OMITTED, detail);
}

export function invalid(field: string, value: unknown, detail: string): Finding {
  return finding("Invalid", field, value, detail);
}

/** The value has another type than the field. */
export function typeInvalid(field: string, value: unknown, detail: string): Finding {
  return finding("TypeInvalid", field, value, detail);
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): Finding {
  const list = supported.map(quote).join(", ");
  const detail = supported.length > 0 ? `supported values: ${list}` : "";
  return finding("NotSupported", field, value, detail);
}

export function duplicate(field: string, value: unknown): Finding {
  return finding("Duplicate", field, value, "");
}

export function forbidden(field: string, detail: string): Finding {
  return finding("Forbidden", field, OMITTED, detail);
}

export function notFound(field: string, value: unknown): Finding {
  return finding("NotFound", field, value, "");
}

export function tooLong(field: string, maxBytes: number): Finding {
  return finding("TooLong", field, OMITTED, `may not be more than ${maxBytes} bytes`);
}

export function tooMany(field: string, actual: number, max: number): Finding {
  const items = max === 1 ? "item" : "items";
  return finding("TooMany", field, actual, `must have at most ${max} ${items}`);
}

export function internal(field: string, detail: string): Finding {
  return finding("Internal", field, OMITTED, detail);
}

function finding(type: FindingType, field: string, value: unknown, detail: string): Finding {
  const shown = value === OMITTED ? "" : `: ${formatValue(value)}`;
  const tail = detail === "" ? "" : `: ${detail}`;
  return { type, field, message: `${WORDS[type]}${shown}${tail}` };
}

/** "spec.completions: Required value: when completion mode is Indexed" */
export function formatFinding(found: Finding): string {
  return `${found.field}: ${found.message}`;
}

function formatValue(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (value === undefined || value === null) return "null";
  if (typeof value === "object") return JSON.stringify(value);
  return String(value);
}

/** Go's %q. */
export function quote(text: string): string {
  if (text.length < LONG_TEXT) return quoted(text);
  if (text !== last.text) last = { text, quoted: quoted(text) };
  return last.quoted;
}

/** A long text may be wrong in thousands of places, and each finding shows all of it. */
const LONG_TEXT = 1024;
let last = { text: "", quoted: "" };

function quoted(text: string): string {
  // Go and JSON agree on these, and JSON does not call a function for each of a million quotes.
  if (SAME_AS_JSON.test(text)) return JSON.stringify(text);
  return `"${text.replace(UNQUOTABLE, quoteChar)}"`;
}

const SAME_AS_JSON = /^[ -~\b\f\n\r\t]*$/;

const UNQUOTABLE = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

const ESCAPES: Record<string, string> = {
  '"': '\\"',
  "\\": "\\\\",
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

function quoteChar(char: string): string {
  const escaped = ESCAPES[char];
  if (escaped !== undefined) return escaped;
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code <= 0xffff) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\U${code.toString(16).padStart(8, "0")}`;
}
