/**
 * Pure: when a pod ran, to the millisecond. The times of a status are whole seconds, which is all
 * that Kubernetes has; most tasks of a list take less.
 */
import { COMPLETION_INDEX } from "../../api/completion-index.ts";
import { EXACT_TIMES, formatExactTimes } from "../../api/exact-times.ts";
import type { Pod } from "../../api/generated/core.ts";
import { STOPPED } from "../../api/pod-end.ts";
import { millisecondsOf } from "../../api/time.ts";
import { isTerminal } from "./endings.ts";
import type { PodFacts } from "./facts.ts";

/**
 * The pod as it is to be written: of an index that is over it is said when it ran, and whether its
 * Job stopped it.
 */
export function withExactTimes(pod: Pod, facts: PodFacts): Pod {
  const { metadata, spec, status } = pod;
  const { annotations } = metadata;
  if (!isTerminal(status.phase) || annotations?.[COMPLETION_INDEX] === undefined) return pod;
  let startedMs = Number.POSITIVE_INFINITY;
  let finishedMs = 0;
  for (const { name } of spec.containers ?? []) {
    const exit = facts.containers[name]?.last;
    if (!exit) continue;
    startedMs = Math.min(startedMs, exit.startedMs);
    finishedMs = Math.max(finishedMs, exit.finishedMs);
  }
  if (finishedMs === 0) return pod;
  const told = {
    [EXACT_TIMES]: formatExactTimes({ startedMs, finishedMs }),
    ...(wasStopped(pod, facts, finishedMs) ? { [STOPPED]: "true" } : {}),
  };
  return { ...pod, metadata: { ...metadata, annotations: { ...annotations, ...told } } };
}

/**
 * Whether it ended after its Job stopped it, and not by itself just before. An agent that has just
 * started may not know when the process was told to end; the deletion came before that.
 */
function wasStopped({ metadata }: Pod, facts: PodFacts, finishedMs: number): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
  if (!facts.isLetGo || deletionTimestamp === undefined) return false;
  const deletedMs = millisecondsOf(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
  return finishedMs >= (facts.stoppingSinceMs ?? deletedMs);
}
