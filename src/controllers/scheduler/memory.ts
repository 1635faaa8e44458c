/** What the scheduler remembers between rounds: which pods are where, and which are waiting. */
import type { Pod } from "../../api/generated/core.ts";
import type { LogFields } from "../../base/log.ts";
import { SiblingNeeds } from "./needs.ts";
import { Nominations } from "./nominations.ts";
import { type PendingPod, PendingPods } from "./pending-pods.ts";
import { Rooms } from "./rooms.ts";

export interface Placement {
  readonly pod: PendingPod;
  readonly node: string;
}

export class SchedulerMemory {
  readonly rooms = new Rooms();
  readonly pending = new PendingPods();
  readonly nominations = new Nominations();
  readonly needs = new SiblingNeeds();
  /** Pods with an assigned node that wait for their volumes to be bound there. */
  readonly preparing = new Map<string, Placement>();
  /** Pods with scheduling gates. */
  readonly gated = new Set<string>();
}

/** Lists every pod without a node, for diagnostics. */
export function* describeMemory(memory: SchedulerMemory, nowMs: number): Iterable<LogFields> {
  for (const { pod, refusal } of memory.pending.list()) {
    yield { pod: pod.key, state: "pending", forMs: nowMs - pod.sinceMs, refusal };
  }
  for (const [pod, { node }] of memory.preparing) {
    yield { pod, state: "waiting for volumes", node };
  }
  for (const pod of memory.gated) yield { pod, state: "gated" };
}

export function podKey({ metadata }: Pod): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}
