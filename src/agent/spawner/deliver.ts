/** A signal that is no SIGKILL, to whatever is of a run: it is heard by commands alone. */
import type { StopSignal } from "../runtimes/runtime.ts";
import { findCommand } from "./beginning.ts";
import { isMarked, sendSignal } from "./processes.ts";
import type { RunName } from "./protocol.ts";
import type { Sweeper } from "./sweeper.ts";

export interface Addressee {
  readonly run: RunName;
  /** The pid of its slot, which is that of the group. */
  readonly slot: number;
  readonly isSandboxed: boolean;
  readonly hasEnded: () => boolean;
}

/** As soon as the run has begun: before, nobody would hear it. */
export async function deliverSignal(
  { run, slot, isSandboxed, hasEnded }: Addressee,
  stopSignal: StopSignal,
  { sweeper, longestMs }: { readonly sweeper: Sweeper; readonly longestMs: number },
): Promise<void> {
  const untilMs = performance.now() + longestMs;
  let command = findCommand(slot, isSandboxed);
  while (command === undefined && performance.now() < untilMs && !hasEnded()) {
    await pause();
    command = findCommand(slot, isSandboxed);
  }
  if (hasEnded()) return;
  const signal = `SIG${stopSignal}` as const;
  // What made the sandbox is in the group, too, and would die of it.
  if (!isSandboxed) sendSignal(-slot, signal);
  else if (command !== undefined && !isMarked(command, run)) sendSignal(command, signal);
  await sweeper.tell(run, isSandboxed ? 0 : slot, signal);
}

/** Until something is looked at again that takes milliseconds. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
}

const AGAIN_MS = 2;
