/** The log of a command that goes on: for a person on a terminal, for a program anywhere else. */
import { type Log, openLog } from "../base/log.ts";
import type { LogLevel } from "../base/log-level.ts";
import type { Machine } from "../command/machine.ts";

export function openCommandLog(
  level: LogLevel,
  { environment, hasReader, writeControls }: Machine,
): Log {
  // https://no-color.org: any value that is not empty.
  const isColored = hasReader && !environment["NO_COLOR"];
  const format = isColored ? "colored text" : hasReader ? "text" : "json";
  return openLog({ level, format, write: writeControls });
}
