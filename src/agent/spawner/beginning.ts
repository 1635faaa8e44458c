/**
 * When a run has begun: the fork of its slot has become the command. Before, a signal to the group
 * reaches only shells, which are deaf to it, and the programs that prepare a sandbox.
 */
import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { childOf } from "./sandbox/seat.ts";

/** The process that is the command, by the pid of its slot; undefined while there is none. */
export function findCommand(slot: number, isSandboxed: boolean): number | undefined {
  const shell = isSandboxed ? childOf(slot) : slot;
  if (shell === undefined) return undefined;
  const command = commandBelow(shell);
  return command === undefined || (isSandboxed && !isInRoot(command)) ? undefined : command;
}

/** A fork bears the words of the shell that it was until it is something else. */
function commandBelow(shell: number): number | undefined {
  // A kernel that does not tell: assume the likelier.
  if (!existsSync(`/proc/${shell}/task/${shell}/children`)) return shell;
  const words = wordsOf(shell);
  let command = childOf(shell);
  while (command !== undefined && wordsOf(command) === words) command = childOf(command);
  return command;
}

function wordsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}

/** Until then it is one of those that mount it. */
function isInRoot(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/root`) !== "/";
  } catch {
    return false;
  }
}
