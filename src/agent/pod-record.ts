/** What the agent holds of one pod while it has anything to do with it. */
import type { Pod } from "../api/generated/core.ts";
import type { PodFacts } from "./pod/facts.ts";
import { hasProbes } from "./probes/results.ts";
import type { RunId } from "./runtimes/runtime.ts";

export interface PodRecord {
  /** As last seen or written. */
  pod: Pod;
  facts: PodFacts;
  /** Whether a node may have it was asked. */
  isAdmitted: boolean;
  /** Since when there is something to tell that may wait for more. */
  untoldSinceMs: number | undefined;
  /** Runs that are over and not forgotten by the runtime. */
  readonly ended: RunId[];
  /** What the last exits said of themselves is still being read. */
  reading: number;
  /** Some of its containers have probes. */
  readonly isProbed: boolean;
}

export function newRecord(pod: Pod, facts: PodFacts, ended: readonly RunId[] = []): PodRecord {
  const { containers, initContainers } = pod.spec;
  return {
    pod,
    facts,
    isAdmitted: false,
    untoldSinceMs: undefined,
    ended: [...ended],
    reading: 0,
    isProbed: [containers, initContainers].some((each) => each?.some(hasProbes)),
  };
}

/** It was asked to end before it began. */
export function isUnwanted({ pod, facts }: PodRecord): boolean {
  return (
    facts.isRemoved === true ||
    facts.eviction !== undefined ||
    pod.metadata.deletionTimestamp !== undefined
  );
}

/** What a container waits for that is not started yet, in the kubelet's words. */
export const WAITING = {
  forJob: { reason: "ContainerCreating", message: "waiting for its Job" },
  forPeers: {
    reason: "ContainerCreating",
    message: "waiting for the addresses of the other pods of its Job",
  },
} as const;
