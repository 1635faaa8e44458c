/** Pure: parses flags with durations. */
import { parseGoDuration } from "../api/go-duration.ts";
import { UsageError } from "../base/usage-error.ts";

/** "10s", "1m30s", or a bare number of seconds. */
export function readDurationMs(flag: string, given: string): number {
  const parsed = parseGoDuration(/^-?\d+$/.test(given) ? `${given}s` : given);
  if ("nanoseconds" in parsed) return Number(parsed.nanoseconds) / 1e6;
  throw new UsageError(
    `${flag} must be a duration such as "10s" or "1m30s", not ${JSON.stringify(given)}`,
  );
}
