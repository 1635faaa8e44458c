/** Pure: parses the values of --per-completion-env and --per-completion-arg. */

import { isParameterName } from "../../api/work-list/work-list.ts";
import { UsageError } from "../../base/usage-error.ts";
import { at, type SourceText } from "./input.ts";
import { linesOf } from "./lines.ts";

export interface ValueRules {
  /** Every line is a value, with its spaces. */
  readonly byLines: boolean;
  /** Whether an empty line is an empty value without `byLines`. */
  readonly mayBeEmpty: boolean;
}

/** KEY=VALUES or KEY=@FILE. */
export type ValueSource =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "file"; readonly file: string };

export function parseNamedValues(given: string): {
  readonly name: string;
  readonly values: ValueSource;
} {
  const equals = given.indexOf("=");
  const name = given.slice(0, Math.max(0, equals));
  if (equals === -1 || !isParameterName(name)) {
    throw new UsageError(
      '--per-completion-env must be KEY="a b c" or KEY=@file, with a key of letters, digits and ' +
        `_, not ${JSON.stringify(given)}`,
    );
  }
  return { name, values: parseValueSource(given.slice(equals + 1)) };
}

export function parseValueSource(text: string): ValueSource {
  return text.startsWith("@") ? { kind: "file", file: text.slice(1) } : { kind: "text", text };
}

/** Values on the command line, separated by spaces or newlines; '' is an empty value. */
export function parseTypedValues(text: string, { byLines }: ValueRules): readonly string[] {
  if (byLines) return linesOf({ source: "", text });
  return splitAtSpaces(text);
}

/** Values in a file: one per line. A file with a single line is split at spaces. */
export function parseFileValues(input: SourceText, rules: ValueRules): readonly string[] {
  const lines = linesOf(input);
  if (rules.byLines) return lines;
  if (lines.length === 1) return splitAtSpaces(lines[0] ?? "");
  const empty = lines.indexOf("");
  if (empty === -1 || rules.mayBeEmpty) return lines;
  throw new UsageError(
    `${at(input.source, empty + 1)}: the line is empty; with --lines it is an empty value`,
  );
}

function splitAtSpaces(text: string): readonly string[] {
  const words = text.split(/[ \t\r\n]+/).filter((word) => word !== "");
  return words.map((word) => (word === "''" || word === '""' ? "" : word));
}
