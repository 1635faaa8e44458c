/**
 * Pure: rejects arguments that look like mistyped placeholders, because they would reach the
 * command unchanged. Only text that parseArguments has not replaced is checked.
 *
 * 1. A placeholder that Tally knows and this list does not have: {}, {.}, {#}, and {1} if it is
 *    the whole argument. Inside one, {1} is more likely a repetition of a regular expression.
 * 2. A name in braces, or $NAME as a whole argument, that is close to a name of this list.
 * 3. $NAME of this list inside an argument that no shell reads.
 */
import { editDistance } from "../../base/edit-distance.ts";
import { UsageError } from "../../base/usage-error.ts";
import { findPathParts } from "./path-parts.ts";
import type { RunRequest } from "./run-request.ts";
import { findScript, readsVariables } from "./shell-script.ts";
import type { Argument, Vocabulary } from "./substitute.ts";

export interface CommandToCheck {
  readonly request: RunRequest;
  /** As they were typed. */
  readonly words: readonly string[];
  /** The same words, parsed. */
  readonly parsed: readonly Argument[];
  readonly vocabulary: Vocabulary;
}

export function checkCommand(command: CommandToCheck): void {
  if (command.request.skipsPlaceholderCheck) return;
  const scriptAt = findScript(command.words);
  command.parsed.forEach((argument, at) => {
    const texts = argument.filter((part) => typeof part === "string");
    const whole = argument.length === 1 ? texts[0] : undefined;
    if (at === scriptAt) {
      refuseInScript(command, texts);
      return;
    }
    refuseMissing(command, texts, whole);
    refuseMistyped(command, texts, whole);
  });
  if (!readsVariables(command.words)) refuseUnread(command);
}

function refuseInScript(command: CommandToCheck, texts: readonly string[]): void {
  for (const name of texts.flatMap(namesInBraces)) {
    const near = nearNames(command, name);
    if (near.length === 0) continue;
    const meant = near.map((each) => `"$${each}"`);
    throw refusal(`there is no {${name}}: did you mean ${anyOf(meant)}?`);
  }
}

function refuseMissing(
  { request, vocabulary }: CommandToCheck,
  texts: readonly string[],
  whole: string | undefined,
): void {
  const { list, placeholders = {} } = request;
  const { item, missingItem = "{}" } = placeholders;
  const position = /^\{[1-9]\d*\}$/.exec(whole ?? "")?.[0];
  const parts = (item ?? missingItem) === "{}" ? texts.flatMap(findPathParts) : [];
  const items = item === undefined && texts.some((text) => hasText(text, missingItem));
  const [missing] = [...(position ? [position] : []), ...(items ? [missingItem] : []), ...parts];
  if (missing === undefined) return;
  if (!list) throw refusal(`there is no list for ${missing}`);
  throw refusal(`this list has no ${missing}: use ${anyOf(usable(request, vocabulary))}`);
}

/** Skips "{{}}", a template of another program, and "${}", which belongs to a shell. */
function hasText(text: string, place: string): boolean {
  if (place !== "{}") return text.includes(place);
  return /(?<!\$)\{\}/.test(text.replaceAll("{{}}", ""));
}

/** The placeholders that can be used with this list. */
function usable(
  { list, appended = [], placeholders = {} }: RunRequest,
  { aliases }: Vocabulary,
): readonly string[] {
  const { item, hasPositions, parameters = [] } = placeholders;
  if (item !== undefined) {
    const positions = hasPositions ? parameters.map((_, at) => `{${at + 1}}`) : [];
    return [item, ...positions.filter((place) => aliases.has(place))];
  }
  const own = (list?.parameters ?? []).filter((name) => !appended.includes(name));
  return own.filter((name) => !list?.derived?.includes(name)).map((name) => `{${name}}`);
}

function refuseMistyped(
  command: CommandToCheck,
  texts: readonly string[],
  whole: string | undefined,
): void {
  const [, bare, braced = bare] =
    /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})$/.exec(whole ?? "") ?? [];
  const typed = [
    ...texts.flatMap(namesInBraces).map((name) => ({ name, place: `{${name}}` })),
    ...(braced === undefined ? [] : [{ name: braced, place: whole ?? "" }]),
  ];
  for (const { name, place } of typed) {
    const near = nearNames(command, name);
    if (near.length === 0) continue;
    throw refusal(`there is no ${place}: did you mean ${anyOf(near.map((each) => `{${each}}`))}?`);
  }
}

/** Skips "${NAME}", which belongs to a shell, and "{{NAME}}", a template of another program. */
function namesInBraces(text: string): readonly string[] {
  const found = text.matchAll(/(?<!\$)(?:\{\{[A-Za-z_]\w*\}\}|\{([A-Za-z_]\w*)\})/g);
  return [...found].flatMap(([, name]) => name ?? []);
}

function nearNames({ request, vocabulary }: CommandToCheck, typed: string): readonly string[] {
  const { appended = [] } = request;
  // The names of further arguments are generated: users do not type them.
  const names = vocabulary.names.filter((name) => name !== typed && !appended.includes(name));
  return names.filter((name) => isNear(name, typed));
}

const SHORT_NAME = 5;

function isNear(name: string, typed: string): boolean {
  if (name.toLowerCase() === typed.toLowerCase()) return true;
  const most = name.length < SHORT_NAME ? 1 : 2;
  if (Math.abs(name.length - typed.length) > most) return false;
  return editDistance(name, typed) <= most;
}

function refuseUnread(command: CommandToCheck): void {
  const { words, parsed, vocabulary } = command;
  const variable = variablesOf(vocabulary);
  parsed.forEach((argument, at) => {
    const isRead = (part: Argument[number]) => typeof part === "string" && variable.test(part);
    if (!argument.some(isRead)) return;
    const all = new RegExp(variable, "g");
    const typed = words[at] ?? "";
    const replaced = typed.replace(all, (_, bare, braced) => `{${bare ?? braced}}`);
    throw refusal(
      `no shell reads the argument ${typed}, so that its variables would stay as they are: ` +
        `write ${replaced}, or start a shell: ${inShell(command, at, all)}`,
    );
  });
}

/** Also "${NAME%.txt}". A backslash or a second dollar in front escapes it. */
function variablesOf({ names }: Vocabulary): RegExp {
  const any = names.join("|");
  return new RegExp(`(?<![$\\\\])\\$(?:(${any})(?!\\w)|\\{(${any})(?!\\w)[^}]*\\})`);
}

/** The whole command as a script, if its words need no further quotes. */
function inShell({ words, parsed }: CommandToCheck, at: number, variable: RegExp): string {
  const quoted = (argument: Argument = []) => argument.map((part) => inScript(part, variable));
  const isPlain = words.every((word) => /^[\w@%+=:,./{}$*#-]+$/.test(word));
  const [program = ""] = words;
  const some = isPlain
    ? parsed.map((argument) => quoted(argument).join(""))
    : [...(at === 0 ? [] : [program, "…"]), quoted(parsed[at]).join(""), "…"];
  return `sh -c '${some.join(" ")}'`;
}

function inScript(part: Argument[number], variable: RegExp): string {
  if (typeof part !== "string") return `"$${part.parameter}"`;
  return part.replace(variable, (place) => `"${place}"`);
}

const MOST_NAMED = 5;

function anyOf(all: readonly string[]): string {
  if (all.length > MOST_NAMED) return `${all.slice(0, MOST_NAMED).join(", ")}, …`;
  const [last = "", ...before] = [...all].reverse();
  return before.length === 0 ? last : `${before.reverse().join(", ")} or ${last}`;
}

function refusal(problem: string): UsageError {
  return new UsageError(`${problem} (--skip-placeholder-check passes it as it is)`);
}
