/**
 * Pure: parts of an item that is a path, as GNU parallel names them: {.} without its extension,
 * {/} without its folders, {//} the folder, {/.} without both, and {#} its number, counted from
 * one. With several lists {1.} refers to the first. The parts that a command uses become
 * parameters.
 */

import { itemCount, type WorkList } from "../../api/work-list/work-list.ts";
import type { RunRequest } from "./run-request.ts";
import { findScript } from "./shell-script.ts";

/** Adds the parts that the command uses to the list. */
export function withPathParts(request: RunRequest): RunRequest {
  const { list, command, placeholders = {} } = request;
  if (!list || list.isBatched || placeholders.item !== "{}") return request;
  const scriptAt = command.length === 1 ? 0 : findScript(command);
  const used = partsOf(list, placeholders.parameters ?? []).filter(({ place }) => {
    return command.some((word, at) => at !== scriptAt && word.includes(place));
  });
  if (used.length === 0) return request;
  const fresh = used.filter(({ name }) => !list.parameters.includes(name));
  return {
    ...request,
    list: {
      ...list,
      parameters: [...list.parameters, ...fresh.map(({ name }) => name)],
      columns: [...list.columns, ...fresh.map(({ column }) => column())],
      derived: [...(list.derived ?? []), ...fresh.map(({ name }) => name)],
    },
    placeholders: { ...placeholders, others: used.map(({ place, name }) => [place, name]) },
  };
}

/** The first part in a text, if there is one. */
export function findPathPart(text: string): string | undefined {
  return findPathParts(text)[0];
}

/** Skips "${#}", which belongs to a shell, and "{{.}}", a template of another program. */
export function findPathParts(text: string): readonly string[] {
  const found = text.matchAll(/(?<!\$)(?:\{\{\.\}\}|(\{\d*(?:\.|\/|\/\/|\/\.|#)\}))/g);
  return [...found].flatMap(([, place]) => place ?? []);
}

interface PathPart {
  readonly place: string;
  readonly name: string;
  readonly column: () => readonly string[];
}

const PARTS: readonly (readonly [text: string, suffix: string, of: (path: string) => string])[] = [
  [".", "STEM", withoutExtension],
  ["/", "NAME", withoutFolders],
  ["//", "DIR", folderOf],
  ["/.", "BASE", (path) => withoutExtension(withoutFolders(path))],
];

function partsOf(list: WorkList, own: readonly string[]): readonly PathPart[] {
  const parts = own.flatMap((parameter, at) => {
    const values = list.columns[list.parameters.indexOf(parameter)] ?? [];
    return PARTS.flatMap(([text, suffix, part]) => {
      const made = { name: `${parameter}_${suffix}`, column: () => values.map(part) };
      const first = at === 0 ? [{ ...made, place: `{${text}}` }] : [];
      return [...first, { ...made, place: `{${at + 1}${text}}` }];
    });
  });
  const numbers = () => Array.from({ length: itemCount(list) }, (_, index) => String(index + 1));
  return [...parts, { place: "{#}", name: "ITEM_NUMBER", column: numbers }];
}

/** A dot at the start of a name does not start an extension. */
function withoutExtension(path: string): string {
  return path.replace(/(?<=[^/])\.[^./]*$/, "");
}

function withoutFolders(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function folderOf(path: string): string {
  const slash = path.lastIndexOf("/");
  if (slash === -1) return ".";
  return path.slice(0, slash) || "/";
}
