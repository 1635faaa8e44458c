/**
 * Pure: replaces placeholders in arguments by references "$(NAME)", which Kubernetes expands when
 * the container starts. No shell is involved, and values are never split.
 *
 * 1. "{NAME}" anywhere in an argument and "$NAME" as a whole one are references, if the list has
 *    such a parameter. All other braces and dollars stay what they are: awk '{print $1}'.
 * 2. The script that a shell is given with -c is left alone: it reads the environment. A "{NAME}"
 *    in it would be mistaken for one, and is refused.
 */

import { escapeBefore, escapeText, reference } from "../../api/work-list/references.ts";
import { UsageError } from "../../base/usage-error.ts";
import { findScript } from "./shell-script.ts";

/** An argument in parts: text, and references to parameters. */
export type Part = string | { readonly parameter: string };
export type Argument = readonly Part[];

export interface Vocabulary {
  /** The names that can be used. */
  readonly names: readonly string[];
  /** Other placeholders for a name: "{}", "{1}". */
  readonly aliases: ReadonlyMap<string, string>;
}

export function parseArguments(
  command: readonly string[],
  vocabulary: Vocabulary,
): readonly Argument[] {
  const scriptAt = findScript(command);
  const places = placesOf(vocabulary);
  return command.map((text, at) => {
    if (at !== scriptAt) return parseArgument(text, vocabulary, places);
    refusePlaces(text, vocabulary, places);
    return [text];
  });
}

export function refersTo(given: readonly Argument[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const part of given.flat()) if (typeof part !== "string") found.add(part.parameter);
  return found;
}

/** For Kubernetes: references are expanded, and all other text stays as it is. */
export function formatArgument(argument: Argument): string {
  let text = "";
  argument.forEach((part, at) => {
    if (typeof part !== "string") text += reference(part.parameter);
    else text += typeof argument[at + 1] === "object" ? escapeBefore(part) : escapeText(part);
  });
  return text;
}

/** Matches all placeholders, the longest first. */
function placesOf({ names, aliases }: Vocabulary): RegExp | undefined {
  const spelt = [...names.map((name) => `{${name}}`), ...aliases.keys()].filter(Boolean);
  if (spelt.length === 0) return undefined;
  const patterns = spelt.sort((one, other) => other.length - one.length).map(escapePattern);
  // "${NAME}" is left to a shell.
  return new RegExp(`(?<!\\$)(?:${patterns.join("|")})`, "g");
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
}

function parseArgument(text: string, vocabulary: Vocabulary, places: RegExp | undefined): Argument {
  const [, bare, braced = bare] = /^\$(?:(\w+)|\{(\w+)\})$/.exec(text) ?? [];
  if (braced !== undefined && vocabulary.names.includes(braced)) return [{ parameter: braced }];
  if (!places) return [text];
  const parts: Part[] = [];
  let copied = 0;
  for (const { 0: place, index } of text.matchAll(places)) {
    if (index > copied) parts.push(text.slice(copied, index));
    parts.push({ parameter: parameterOf(place, vocabulary) });
    copied = index + place.length;
  }
  if (copied < text.length || parts.length === 0) parts.push(text.slice(copied));
  return parts;
}

function parameterOf(place: string, { aliases }: Vocabulary): string {
  return aliases.get(place) ?? place.slice(1, -1);
}

function refusePlaces(script: string, vocabulary: Vocabulary, places: RegExp | undefined): void {
  const [place] = places ? (script.match(places) ?? []) : [];
  if (place === undefined) return;
  const variable = `"$${parameterOf(place, vocabulary)}"`;
  throw new UsageError(
    `${place} is not replaced in a script that a shell runs, where a value with a space or a ` +
      `quote would be read as more script: write ${variable} there`,
  );
}
