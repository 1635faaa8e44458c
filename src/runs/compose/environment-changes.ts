/** Pure: describes how the environment of a run has changed. Values are never shown. */
import { type RunEnvironment, variablesOf } from "../../api/run-environment.ts";
import { isSameRange, parseLimits } from "../../base/process-limits.ts";

/** A notice for the user; undefined if nothing has changed. */
export function environmentChanges(
  former: RunEnvironment,
  next: RunEnvironment,
): string | undefined {
  const variables = changedNames(variablesOf(former), variablesOf(next), (a, b) => a === b);
  const limits = changedNames(parseLimits(former.limits), parseLimits(next.limits), isSameRange);
  const changes = [
    ...(variables.length > 0 ? [`environment changed: ${listed(variables)}`] : []),
    ...(former.workingDirectory === next.workingDirectory ? [] : ["working directory changed"]),
    ...(Number.parseInt(former.umask, 8) === Number.parseInt(next.umask, 8)
      ? []
      : ["umask changed"]),
    ...(limits.length > 0 ? [`limits changed: ${listed(limits)}`] : []),
  ];
  return changes.length === 0 ? undefined : changes.join("; ");
}

function changedNames<T>(
  former: ReadonlyMap<string, T>,
  next: ReadonlyMap<string, T>,
  isSame: (one: T | undefined, other: T | undefined) => boolean,
): readonly string[] {
  const names = new Set([...former.keys(), ...next.keys()]);
  return [...names].filter((name) => !isSame(former.get(name), next.get(name))).sort();
}

const MOST_NAMED = 10;
const LONGEST_NAME = 60;

/** The name of a variable may contain control characters, which must not reach a terminal. */
function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMED).map(printable);
  const more = names.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function printable(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]/g, "?");
  return plain.length > LONGEST_NAME ? `${plain.slice(0, LONGEST_NAME)}…` : plain;
}
