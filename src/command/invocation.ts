/** Pure: one call of the command line. */
import type { Machine } from "./machine.ts";

export interface Invocation {
  readonly machine: Machine;
  /** What follows "--" of `tally run`: the command, and lists after ":::". */
  readonly words: readonly string[];
  /** That of the process; commands that end with another code than 0 set it. */
  exitCode: number;
}
