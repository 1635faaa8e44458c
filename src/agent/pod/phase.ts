/** Pure: the phase of a pod, and the reason where it did not come about by itself. */
import type { Pod } from "../../api/generated/core.ts";
import { type ForcedFailure, findForcedFailure, isTerminal } from "./endings.ts";
import { exitCodeOf, factsOf, findEnd, hasLife, mainsOf, type PodFacts } from "./facts.ts";
import { hasAnyMainRun, initializationOf, mainStateOf } from "./progress.ts";
import { findRestartOfAll } from "./restarts.ts";

export type Phase = "Pending" | "Running" | "Succeeded" | "Failed";

export interface PhaseVerdict {
  readonly phase: Phase;
  readonly reason?: string;
  readonly message?: string;
  /** The node ended it, for reasons that were not the pod's. */
  readonly isDisrupted?: boolean;
}

/** How the message of a pod begins that its node would not have. */
export const REJECTED = "Pod was rejected: ";

const PENDING: PhaseVerdict = { phase: "Pending" };
const RUNNING: PhaseVerdict = { phase: "Running" };
const SUCCEEDED: PhaseVerdict = { phase: "Succeeded" };
const FAILED: PhaseVerdict = { phase: "Failed" };

/**
 * 1. What is over stays over, with the words it was given.
 * 2. Nothing is over while a process lives.
 * 3. A pod that was deleted succeeded if all its app containers did, whatever its restartPolicy.
 * 4. What has run is not pending again when all containers are restarted.
 */
export function phaseOf(pod: Pod, facts: PodFacts, nowMs: number): PhaseVerdict {
  const { status } = pod;
  if (isTerminal(status.phase)) return storedVerdict(pod);
  if (facts.rejection) {
    const { reason, message } = facts.rejection;
    return { phase: "Failed", reason, message: `${REJECTED}${message}` };
  }
  const verdict = findFinalVerdict(pod, facts, nowMs) ?? currentVerdict(pod, facts);
  if (isTerminal(verdict.phase) && hasLife(facts)) {
    return hasAnyMainRun(pod, facts) || status.phase === "Running" ? RUNNING : PENDING;
  }
  return verdict.phase === "Pending" && status.phase === "Running" ? RUNNING : verdict;
}

function storedVerdict({ status: { phase, reason, message } }: Pod): PhaseVerdict {
  return {
    phase: phase as Phase,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
}

/** How a pod ends that may not go on. */
function findFinalVerdict(pod: Pod, facts: PodFacts, nowMs: number): PhaseVerdict | undefined {
  const failure = findForcedFailure(pod, facts, nowMs);
  if (failure) return failedBy(failure);
  if (pod.metadata.deletionTimestamp === undefined && !facts.isRemoved) return undefined;
  const hasSucceeded = mainsOf(pod).every(({ name }) => {
    const end = findEnd(factsOf(facts, name));
    return end !== undefined && exitCodeOf(end) === 0;
  });
  return hasSucceeded ? SUCCEEDED : FAILED;
}

function failedBy({ why, reason, message }: ForcedFailure): PhaseVerdict {
  return { phase: "Failed", reason, message, isDisrupted: why === "evicted" };
}

function currentVerdict(pod: Pod, facts: PodFacts): PhaseVerdict {
  const { kind } = initializationOf(pod, facts);
  if (kind === "at") return PENDING;
  if (findRestartOfAll(pod, facts) !== undefined) return kind === "done" ? RUNNING : PENDING;
  if (kind === "failed") return FAILED;
  switch (mainStateOf(pod, facts)) {
    case "pending":
      return PENDING;
    case "running":
      return RUNNING;
    case "succeeded":
      return SUCCEEDED;
    case "failed":
      return FAILED;
  }
}
