/** Pure: the command of a run, from the words of the command line. */

import { COMPLETION_INDEX_VARIABLE } from "../../api/work-list/names.ts";
import { UsageError } from "../../base/usage-error.ts";
import { checkCommand } from "./check-command.ts";
import { findPathPart } from "./path-parts.ts";
import type { RunRequest } from "./run-request.ts";
import { findScript } from "./shell-script.ts";
import { type Argument, parseArguments, refersTo, type Vocabulary } from "./substitute.ts";

export interface RunCommand {
  /** The program first. */
  readonly arguments: readonly Argument[];
  readonly notices: readonly string[];
}

export function composeCommand(request: RunRequest): RunCommand {
  const { command, image } = request;
  if (command.length === 0 && image === undefined) {
    throw new UsageError('there is no command: write it after "--"');
  }
  const words = inShell(spreadItem(request, command));
  const vocabulary = vocabularyOf(request);
  refusePathParts(request, words);
  const parsed = parseArguments(words, vocabulary);
  checkBatches(request, parsed);
  checkCommand({ request, words, parsed, vocabulary });
  const used = refersTo(parsed);
  const given = appendsItem(request, words, used) ? [...parsed, ...itemArguments(request)] : parsed;
  return { arguments: [...niceness(request), ...given], notices: unused(request, words, given) };
}

/** A single word with spaces is a script. */
function inShell(command: readonly string[]): readonly string[] {
  const [only = ""] = command;
  return command.length === 1 && /\s/.test(only.trim()) ? ["sh", "-c", only] : command;
}

/** An item with several values becomes several arguments. */
function spreadItem({ placeholders = {} }: RunRequest, command: readonly string[]) {
  const { item, parameters = [] } = placeholders;
  if (item === undefined || parameters.length < 2) return command;
  return command.flatMap((word) => {
    if (word === item) return parameters.map((parameter) => `{${parameter}}`);
    if (!word.includes(item)) return [word];
    throw new UsageError(
      `${item} is ${parameters.length} values here, and can only be an argument of its own: use ` +
        "{1}, {2}, … for each of them",
    );
  });
}

function vocabularyOf({ list, indexVariable, placeholders = {} }: RunRequest): Vocabulary {
  const { item, parameters = [], hasPositions, others = [] } = placeholders;
  const index = indexVariable === undefined ? [] : [indexVariable];
  const aliases = new Map<string, string>(others);
  const [first] = parameters;
  if (item !== undefined && first !== undefined) aliases.set(item, first);
  if (hasPositions) {
    for (const [at, parameter] of parameters.entries()) aliases.set(`{${at + 1}}`, parameter);
  }
  const names = [...(list?.parameters ?? []), ...index, COMPLETION_INDEX_VARIABLE];
  return { names, aliases };
}

/** Path parts are not replaced in scripts, and a batch has several items. */
function refusePathParts({ list, placeholders = {} }: RunRequest, words: readonly string[]): void {
  const { item, parameters: [parameter = ""] = [] } = placeholders;
  if (item !== "{}") return;
  const scriptAt = findScript(words);
  const script = scriptAt === undefined ? undefined : words[scriptAt];
  const inScript = script === undefined ? undefined : findPathPart(script);
  if (inScript !== undefined) {
    throw new UsageError(
      `${inScript} is not replaced in a script that a shell runs: take it from "$${parameter}" ` +
        "there",
    );
  }
  const place = list?.isBatched && words.map(findPathPart).find((found) => found !== undefined);
  if (place) throw new UsageError(`${place} is of one item, and --batch gives several`);
}

function appendsItem(
  { placeholders = {} }: RunRequest,
  words: readonly string[],
  used: ReadonlySet<string>,
): boolean {
  if (!placeholders.appendsItem || used.size > 0) return false;
  // The first word after a script is its $0.
  return findScript(words) !== words.length - 1;
}

function itemArguments({ placeholders }: RunRequest): readonly Argument[] {
  return (placeholders?.parameters ?? []).map((parameter) => [{ parameter }]);
}

function checkBatches({ list }: RunRequest, given: readonly Argument[]): void {
  if (!list?.isBatched) return;
  for (const argument of given) {
    for (const part of argument) {
      if (argument.length === 1 || typeof part === "string") continue;
      if (!list.parameters.includes(part.parameter)) continue;
      if (list.derived?.includes(part.parameter)) continue;
      throw new UsageError(
        `{${part.parameter}} is a batch of several values: it can only be an argument of its own`,
      );
    }
  }
}

function niceness({ niceness: by }: RunRequest): readonly Argument[] {
  return by === undefined ? [] : [["nice"], ["-n"], [String(by)]];
}

/** A notice for a command that does not use the items. */
function unused(
  { list, appended = [] }: RunRequest,
  words: readonly string[],
  given: readonly Argument[],
): readonly string[] {
  if (!list || appended.length > 0 || refersTo(given).size > 0) return [];
  const scriptAt = findScript(words);
  const script = scriptAt === undefined ? undefined : words[scriptAt];
  if (script === undefined) return [];
  if (list.parameters.some((parameter) => script.includes(parameter))) return [];
  return [`the script does not mention $${list.parameters.join(" or $")}`];
}
