/**
 * Pure: a script for any Bourne shell that finds the item of its pod and executes the command. It
 * is for clusters without a Tally controller, and needs nothing of the image but a shell: no
 * program is called, the index is in the environment, and values are in single quotes.
 */
import { COMPLETION_INDEX_VARIABLE } from "../../api/work-list/names.ts";
import {
  itemCount,
  splitBatch,
  type Values,
  valuesAt,
  type WorkList,
} from "../../api/work-list/work-list.ts";
import type { Argument } from "./substitute.ts";

export interface ScriptInput {
  readonly list: WorkList;
  /** The program first. */
  readonly command: readonly Argument[];
  /** Parameters whose values are further arguments; empty values are left out. */
  readonly appended: readonly string[];
}

/** Exit codes if the command cannot be started, as of other programs that run programs. */
const CANNOT_BEGIN = 125;
const NOT_FOUND = 127;

export function composeScript(input: ScriptInput): string {
  const { list, command, appended } = input;
  const isEachItsOwn = appended.length > 0 || list.isBatched === true;
  const arms: string[] = [];
  const count = itemCount(list);
  for (let index = 0; index < count; index++) {
    const values = valuesAt(list, index);
    const set = list.parameters.map((name, at) => `${name}=${quote(values[at] ?? "")}`);
    const words = isEachItsOwn ? `\nset -- ${wordsOf(input, values)}` : "";
    arms.push(`${index}) ${set.join(" ")}${words} ;;`);
  }
  const shared = isEachItsOwn ? [] : [`set -- ${command.map(wordOf).join(" ")}`];
  return [
    "#!/bin/sh",
    "# Made by tally run: finds the item of this pod, and becomes the command.",
    `${SHAPE}${formatShape(list)}`,
    `case "\${${COMPLETION_INDEX_VARIABLE}-}" in`,
    ...arms,
    "'')",
    `echo "$0: ${COMPLETION_INDEX_VARIABLE} is not set: this is for pods of Indexed Jobs" >&2`,
    `exit ${CANNOT_BEGIN} ;;`,
    "*)",
    `echo "$0: there is no item for index $${COMPLETION_INDEX_VARIABLE}" >&2`,
    `exit ${CANNOT_BEGIN} ;;`,
    "esac",
    `export ${list.parameters.join(" ")}`,
    ...shared,
    'if ! type "$1" >/dev/null 2>&1; then',
    'echo "$0: the image does not have this command: $1" >&2',
    `exit ${NOT_FOUND}`,
    "fi",
    'exec "$@"',
    "",
  ].join("\n");
}

/** Begins the line that describes the list. parse-script reads it. */
export const SHAPE = "# list ";

function formatShape({ parameters, derived, isBatched }: WorkList): string {
  return JSON.stringify({
    parameters,
    ...(derived ? { derived } : {}),
    ...(isBatched ? { batched: true } : {}),
  });
}

/** Quotes a text for any shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function wordsOf({ list, command, appended }: ScriptInput, values: Values): string {
  const own = command.flatMap((argument) => batchWords(list, argument, values) ?? wordOf(argument));
  const further = appended.flatMap((parameter) => {
    const value = values[list.parameters.indexOf(parameter)] ?? "";
    return (list.isBatched ? splitBatch(value) : [value]).filter((each) => each !== "").map(quote);
  });
  return [...own, ...further].join(" ");
}

/** A batch that is a whole argument becomes one argument per value. */
function batchWords(
  list: WorkList,
  argument: Argument,
  values: Values,
): readonly string[] | undefined {
  const [only] = argument;
  if (!list.isBatched || argument.length !== 1 || typeof only !== "object") return undefined;
  const at = list.parameters.indexOf(only.parameter);
  if (at === -1 || list.derived?.includes(only.parameter)) return undefined;
  return splitBatch(values[at] ?? "").map(quote);
}

function wordOf(argument: Argument): string {
  const parts = argument.map((part) => {
    return typeof part === "string" ? quote(part) : `"\${${part.parameter}}"`;
  });
  return parts.join("") || "''";
}
