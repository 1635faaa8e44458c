/** Pure: what the spawner tells of runs, in the words of a runtime. */
import { type EndedRun, parseRunName, type RunningRun } from "../../spawner/protocol.ts";
import type { Exit, Recorded, Running } from "../runtime.ts";

export function toRunning({ run, pid, startedMs, place }: RunningRun): Running {
  return { id: parseRunName(run), pid, startedMs, ...(place === undefined ? {} : { place }) };
}

export function toExit({ run, isSandboxed: _, ...end }: EndedRun): Exit {
  return { id: parseRunName(run), ...end };
}

export function recordedRun(run: RunningRun): Running {
  return { ...toRunning(run), ...recorded(run) };
}

export function recordedExit(end: EndedRun): Exit {
  return { ...toExit(end), ...recorded(end) };
}

function recorded({ isSandboxed }: { readonly isSandboxed?: boolean }): Recorded {
  return { runtime: isSandboxed ? "sandbox" : "process" };
}
