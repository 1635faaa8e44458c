/** Where a server keeps its data unless a flag says otherwise. */
import { isAbsolute, join, resolve } from "node:path";
import type { Machine } from "./machine.ts";

/** State of a user that outlives restarts, by the XDG base directory specification. */
export function dataPath(given: string | undefined, machine: Machine): string {
  const { environment, home, workingDirectory } = machine;
  if (given !== undefined) return resolve(workingDirectory, given);
  const state = environment["XDG_STATE_HOME"] ?? "";
  return join(isAbsolute(state) ? state : join(home, ".local", "state"), "tally");
}
