/**
 * Pure: how a run ended, from what its slot wrote: the status and, before it, remarks of the shell.
 * A shell remarks on a child that died of a signal, except SIGINT and SIGPIPE, and on what kept a
 * command from running; it never remarks on an exit code.
 */

import type { EndedRun } from "./protocol.ts";
import type { RecordedRun } from "./records.ts";

export interface Ending {
  readonly status: number;
  /** What the shell said between the end of the run before and this one's. */
  readonly remarks: string;
  readonly finishedMs: number;
}

const NEVER_RAN = 128;
const LONGEST_PROBLEM = 1024;
const SIGKILL = 9;

export function composeEnd(run: RecordedRun, ending: Ending, isOutOfMemory: boolean): EndedRun {
  const { finishedMs } = ending;
  const base = { run: run.run, startedMs: run.startedMs, finishedMs };
  const outcome = decideOutcome(ending.status, ending.remarks);
  const hasBegun = outcome.exitCode !== NEVER_RAN || ending.status === NEVER_RAN;
  const problem = hasBegun ? {} : { problem: problemIn(ending.remarks) };
  return { ...base, ...outcome, ...problem, ...(isOutOfMemory && { isOutOfMemory }) };
}

/** Without the name of the shell and the line it was at. */
function problemIn(remarks: string): string {
  const plain = remarks.trim().replace(/^\S+: (line )?\d+: /, "");
  // Errors are written small everywhere else.
  const small = plain.replace(/: [A-Z](?=[a-z])/g, (start) => start.toLowerCase());
  return small.slice(0, LONGEST_PROBLEM);
}

export interface Death {
  readonly notes: string;
  /** By us. */
  readonly isKilled: boolean;
  readonly isOutOfMemory: boolean;
  readonly finishedMs: number;
}

/** The slot died before it wrote a status. */
export function composeDeath(run: RecordedRun, death: Death): EndedRun {
  const { notes, isKilled, isOutOfMemory, finishedMs } = death;
  const base = { run: run.run, startedMs: run.startedMs, finishedMs };
  const killed = { ...base, exitCode: SIGNAL_BASE + SIGKILL };
  if (isOutOfMemory) return { ...killed, signal: SIGKILL, isOutOfMemory };
  if (isKilled) return { ...killed, signal: SIGKILL };
  // A shell that cannot fork gives up.
  if (/fork/.test(notes.slice(notes.lastIndexOf("\ne ") + 1)))
    return { ...base, exitCode: NEVER_RAN };
  return { ...killed, isLost: true };
}

export function decideOutcome(
  status: number,
  remarks: string,
): { readonly exitCode: number; readonly signal?: number } {
  const hasRemarks = remarks.trim() !== "";
  if (status > SIGNAL_BASE) {
    const signal = status - SIGNAL_BASE;
    const isSignal = hasRemarks || SILENT_SIGNALS.includes(signal);
    return isSignal ? { exitCode: status, signal } : { exitCode: status };
  }
  // The working directory or the log could not be opened after all.
  return { exitCode: status !== 0 && hasRemarks ? NEVER_RAN : status };
}

const SIGNAL_BASE = 128;
const SIGINT = 2;
const SIGPIPE = 13;
const SILENT_SIGNALS: readonly number[] = [SIGINT, SIGPIPE];

/** Whether the slot has read what it was to run. */
export function hasRead(text: string, number: number): boolean {
  return text.startsWith(`b ${number}\n`) || text.includes(`\nb ${number}\n`);
}

/** What the slot's file says of a run: its status and the remarks before it. */
export function findStatus(
  text: string,
  number: number,
): { readonly status: number; readonly remarks: string } | undefined {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => line.startsWith(`e ${number} `));
  const status = lines[at]?.split(" ")[2];
  // A torn line has no end yet.
  if (at < 0 || at === lines.length - 1 || status === undefined) return undefined;
  const before = lines.slice(0, at).filter((line) => !/^b \d+$/.test(line));
  const from = before.findLastIndex((line) => /^e \d+ \d+( |$)/.test(line)) + 1;
  return { status: Number(status), remarks: before.slice(from).join("\n") };
}
