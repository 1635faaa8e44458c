/** Pure: what is told of a run that is not over. */
import type { RunningRun } from "./protocol.ts";
import type { RecordedRun } from "./records.ts";
import { isSandboxSlot } from "./sandbox/sandbox-slot.ts";

export function toRunning({ run, slot, startedMs, place }: RecordedRun): RunningRun {
  const isSandboxed = isSandboxSlot(slot?.slot ?? "");
  return {
    run,
    pid: slot?.pid ?? 0,
    startedMs,
    ...(isSandboxed && { isSandboxed }),
    ...(place !== undefined && { place }),
  };
}
