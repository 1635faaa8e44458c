/** Pure: what several flags share. */
import { UsageError } from "../base/usage-error.ts";

/** The error for an invalid value of a flag. */
export function wrong(flag: string, given: string, rule: string): UsageError {
  return new UsageError(`${flag} ${rule}, not ${JSON.stringify(given)}`);
}

/** Collects the values of a flag that may be repeated. */
export function collected(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
