/** Pure: the error for an invalid value of a flag. */
import { UsageError } from "../base/usage-error.ts";

export function wrong(flag: string, given: string, rule: string): UsageError {
  return new UsageError(`${flag} ${rule}, not ${JSON.stringify(given)}`);
}
