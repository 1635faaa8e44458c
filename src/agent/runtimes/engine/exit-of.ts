/** Pure: how a container ended, in the words of a runtime. */
import type { Exit, RunId } from "../runtime.ts";
import type { ContainerState } from "./containers.ts";

export function exitOf(id: RunId, state: ContainerState): Exit {
  const { exitCode, startedMs, finishedMs, isOutOfMemory } = state;
  const signal = exitCode > 128 && exitCode <= 128 + 64 ? exitCode - 128 : undefined;
  return {
    id,
    exitCode,
    ...(signal === undefined ? {} : { signal }),
    startedMs,
    finishedMs,
    ...(isOutOfMemory ? { isOutOfMemory } : {}),
  };
}
