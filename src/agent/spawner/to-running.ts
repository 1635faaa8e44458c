/** Pure: what is told of the runs on record. */
import type { EndedRun, RunningRun } from "./protocol.ts";
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

export function toEnded({ slot, end }: RecordedRun): EndedRun | undefined {
  const isSandboxed = isSandboxSlot(slot?.slot ?? "");
  return end && { ...end, ...(isSandboxed && { isSandboxed }) };
}
