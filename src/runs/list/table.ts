/**
 * Pure: parses tables with a header line into lists with named parameters. CSV follows RFC 4180: a
 * quoted field may contain commas, newlines and doubled quotes. TSV has no quotes: tabs separate
 * the fields.
 */

import { isParameterName, type WorkList } from "../../api/work-list/work-list.ts";
import { UsageError } from "../../base/usage-error.ts";
import { at, type SourceText } from "./input.ts";
import { linesOf, refuseNul } from "./lines.ts";

export interface ParsedTable {
  readonly list: WorkList;
  /** Notices about renamed columns. */
  readonly notices: readonly string[];
}

export function parseCsv(input: SourceText): ParsedTable {
  refuseNul(input);
  const reading = { ...input, position: 0, line: 1 };
  return tableOf(input.source, () => nextCsvRow(reading));
}

export function parseTsv(input: SourceText): ParsedTable {
  const lines = linesOf(input);
  let line = 0;
  return tableOf(input.source, () => {
    const text = lines[line];
    line++;
    return text === undefined ? undefined : { line, fields: text.split("\t") };
  });
}

interface Row {
  readonly line: number;
  readonly fields: readonly string[];
}

function tableOf(source: string, nextRow: () => Row | undefined): ParsedTable {
  const header = nextRow();
  if (!header) throw new UsageError(`${source} is empty: its first line must name the columns`);
  const { names, notices } = namesOf(source, header.fields);
  const columns: string[][] = names.map(() => []);
  for (let row = nextRow(); row; row = nextRow()) {
    const { line, fields } = row;
    // Empty lines are skipped.
    if (fields.length === 1 && fields[0] === "" && names.length > 1) continue;
    if (fields.length !== names.length) {
      throw new UsageError(
        `${at(source, line)}: ${countOf(fields.length)}, and the header has ${names.length}`,
      );
    }
    for (let column = 0; column < names.length; column++) {
      columns[column]?.push(fields[column] ?? "");
    }
  }
  return { list: { parameters: names, columns }, notices };
}

function countOf(fields: number): string {
  return fields === 1 ? "there is 1 field" : `there are ${fields} fields`;
}

/** A column name that is not a valid variable name is changed, with a notice. */
function namesOf(source: string, header: readonly string[]) {
  const notices: string[] = [];
  const names = header.map((field, column) => {
    const plain = field.trim();
    if (isParameterName(plain)) return plain;
    const name = plain.replaceAll(/[^A-Za-z0-9_]+/g, "_").replace(/^(?=\d)/, "_");
    if (!/[A-Za-z0-9]/.test(name)) {
      throw new UsageError(
        `${at(source, 1)}: column ${column + 1} needs a name of letters, digits and _, ` +
          `not ${JSON.stringify(field)}`,
      );
    }
    notices.push(`the column ${JSON.stringify(plain)} is {${name}} here`);
    return name;
  });
  const twice = names.find((name, column) => names.indexOf(name) !== column);
  if (twice !== undefined) throw new UsageError(`${at(source, 1)}: two columns are named ${twice}`);
  return { names, notices };
}

interface Reading extends SourceText {
  position: number;
  line: number;
}

function nextCsvRow(reading: Reading): Row | undefined {
  const { text, line } = reading;
  if (reading.position >= text.length) return undefined;
  const plain = plainRow(reading);
  if (plain) return { line, fields: plain };
  const fields: string[] = [];
  for (;;) {
    fields.push(text[reading.position] === '"' ? quotedField(reading) : bareField(reading));
    const end = text[reading.position];
    reading.position++;
    if (end === ",") continue;
    reading.line++;
    return { line, fields };
  }
}

/** Rows without quotes, which are the most, are split at once: that is faster. */
function plainRow(reading: Reading): readonly string[] | undefined {
  const { text, position } = reading;
  const newline = text.indexOf("\n", position);
  const end = newline === -1 ? text.length : newline;
  const row = text.slice(position, end);
  if (row.includes('"')) return undefined;
  reading.position = end + 1;
  reading.line++;
  return (row.endsWith("\r") ? row.slice(0, -1) : row).split(",");
}

function bareField(reading: Reading): string {
  const { source, text, line, position: start } = reading;
  while (reading.position < text.length) {
    const character = text[reading.position];
    if (character === "," || character === "\n") break;
    if (character === '"') {
      throw new UsageError(
        `${at(source, line)}: a quote inside a field; put the whole field between quotes and ` +
          "write the quote twice",
      );
    }
    reading.position++;
  }
  return text.slice(start, reading.position).replace(/\r$/, "");
}

function quotedField(reading: Reading): string {
  const { source, text, line } = reading;
  let field = "";
  let start = reading.position + 1;
  for (;;) {
    const quote = text.indexOf('"', start);
    if (quote === -1) throw new UsageError(`${at(source, line)}: the quote is never closed`);
    field += text.slice(start, quote);
    start = quote + 2;
    if (text[quote + 1] !== '"') break;
    field += '"';
  }
  reading.position = start - 1;
  if (text.startsWith("\r\n", reading.position)) reading.position++;
  for (const character of field) if (character === "\n") reading.line++;
  const next = text[reading.position];
  if (next === undefined || next === "," || next === "\n") return field;
  throw new UsageError(`${at(source, reading.line)}: there is more after the closing quote`);
}
