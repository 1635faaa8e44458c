/** Why a container did not begin, in the codes and words of a container's state. */
import { RunRefused } from "../runtime.ts";

const CODES: readonly (readonly [RegExp, number])[] = [
  [/executable file not found|no such file or directory|not found in \$PATH/, 127],
  [/permission denied|exec format error|is a directory/, 126],
];

/** 128 where it says neither that the command is not there nor that it may not be run. */
export function startRefused(message: string): RunRefused {
  const code = CODES.find(([pattern]) => pattern.test(message))?.[1] ?? 128;
  return new RunRefused(code, "StartError", message);
}
