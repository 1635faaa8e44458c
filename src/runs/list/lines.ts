/** Pure: splits text into items, at newlines or at NUL bytes. */
import { UsageError } from "../../base/usage-error.ts";
import { at, type SourceText } from "./input.ts";

/** All lines without their line endings. A newline at the end starts no further line. */
export function linesOf({ source, text }: SourceText): readonly string[] {
  if (text === "") return [];
  refuseNul({ source, text });
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return text.includes("\r\n") ? lines.map((line) => line.replace(/\r$/, "")) : lines;
}

/** One item per line. Empty lines are skipped. */
export function parseLines(source: SourceText): readonly string[] {
  const lines = linesOf(source);
  return lines.includes("") ? lines.filter((line) => line !== "") : lines;
}

/** Items that end with a NUL byte and may contain newlines. */
export function parseNulSeparated({ text }: SourceText): readonly string[] {
  const items = text.split("\0");
  if (items.at(-1) === "") items.pop();
  return items;
}

export function refuseNul({ source, text }: SourceText): void {
  const position = text.indexOf("\0");
  if (position === -1) return;
  const before = text.slice(0, position).split("\n");
  const byte = Buffer.byteLength(before.at(-1) ?? "") + 1;
  throw new UsageError(
    `${at(source, before.length)}, byte ${byte}: a NUL byte cannot be part of an item; ` +
      "with -0 it separates items",
  );
}
