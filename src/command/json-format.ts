/** Pure: JSON as Go prints it: sorted keys, four spaces, no character that HTML would read. */

export function formatJson(value: unknown): string {
  return `${write(value, "\n")}\n`;
}

/** On one line, for values within text and for the annotation of what was applied. */
export function compactJson(value: unknown): string {
  return write(value, "");
}

const INDENT = "    ";

/** The new line that each entry starts with, grown by one indent within; none on one line. */
function write(value: unknown, line: string): string {
  const inner = line === "" ? "" : line + INDENT;
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    return `[${value.map((item) => inner + write(item, inner)).join(",")}${line}]`;
  }
  if (value !== null && typeof value === "object") {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    if (entries.length === 0) return "{}";
    const colon = line === "" ? ":" : ": ";
    const texts = entries
      .sort(([left], [right]) => compareBytes(left, right))
      .map(([key, item]) => `${inner}${scalar(key)}${colon}${write(item, inner)}`);
    return `{${texts.join(",")}${line}}`;
  }
  return scalar(value);
}

/** Go compares bytes, which for what is beyond 16 bits is not how strings compare here. */
function compareBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

function scalar(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return text.replace(/[<>&\u2028\u2029]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
