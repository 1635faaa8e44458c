/**
 * Pure: parses a JSON value per line. The fields of an object are named parameters; a string or a
 * number is an item by itself. Numbers and nested values are passed on as they are written.
 */

import { ITEM_PARAMETER, isParameterName, type WorkList } from "../../api/work-list/work-list.ts";
import { UsageError } from "../../base/usage-error.ts";
import { at, type SourceText } from "./input.ts";
import { linesOf } from "./lines.ts";

export function parseJsonLines(input: SourceText): WorkList {
  const lines = linesOf(input);
  let names: readonly string[] | undefined;
  let columns: string[][] = [];
  for (const [position, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const place = () => at(input.source, position + 1);
    const item = parseLine(line, place);
    const fields = Object.keys(item);
    if (!names) {
      names = checkedNames(fields, place);
      columns = names.map(() => []);
    }
    checkFields(names, fields, place);
    for (let column = 0; column < names.length; column++) {
      columns[column]?.push(item[names[column] ?? ""] ?? "");
    }
  }
  return { parameters: names ?? [ITEM_PARAMETER], columns: names ? columns : [[]] };
}

interface Item {
  readonly [name: string]: string;
}

function checkFields(
  names: readonly string[],
  fields: readonly string[],
  place: () => string,
): void {
  if (names.length === fields.length && names.every((name, at) => name === fields[at])) return;
  const missing = names.find((name) => !fields.includes(name));
  const unknown = fields.find((name) => !names.includes(name));
  if (missing === undefined && unknown === undefined) return;
  const what = missing === undefined ? `has ${quoted(unknown)}` : `has no ${quoted(missing)}`;
  throw new UsageError(`${place()}: ${what}, unlike the first line`);
}

function quoted(name: string | undefined): string {
  return name === ITEM_PARAMETER ? "value by itself" : JSON.stringify(name);
}

function checkedNames(names: readonly string[], place: () => string): readonly string[] {
  const bad = names.find((name) => !isParameterName(name));
  if (bad !== undefined) {
    throw new UsageError(
      `${place()}: the field ${JSON.stringify(bad)} must be named like a shell variable`,
    );
  }
  if (names.length === 0) throw new UsageError(`${place()}: an object without fields is no item`);
  return names;
}

function parseLine(line: string, place: () => string): Item {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new UsageError(`${place()}: this is not JSON`);
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    return { [ITEM_PARAMETER]: typeof value === "string" ? value : line.trim() };
  }
  const members = Object.entries(value);
  if (members.every(([, member]) => typeof member === "string")) return value as Item;
  // JSON.parse rounds long numbers. The text of the line is needed only if something was lost.
  const written = JSON.stringify(value) === line ? undefined : writtenMembers(line);
  return Object.fromEntries(
    members.map(([name, member]) => {
      if (typeof member === "string") return [name, member];
      if (member === null) return [name, ""];
      return [name, written?.get(name) ?? JSON.stringify(member)];
    }),
  );
}

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

/** The text of each member of an object. The line is known to be valid JSON. */
function writtenMembers(line: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  let depth = 0;
  let name = "";
  let start = 0;
  let isName = true;
  for (const { 0: token, index } of line.matchAll(TOKENS)) {
    if (token === "{" || token === "[") depth++;
    if (depth === 1 && isName && token.startsWith('"')) name = JSON.parse(token) as string;
    if (depth === 1 && token === ":") [start, isName] = [index + 1, false];
    if (depth === 1 && (token === "," || token === "}")) {
      members.set(name, line.slice(start, index).trim());
      isName = true;
    }
    if (token === "}" || token === "]") depth--;
  }
  return members;
}
