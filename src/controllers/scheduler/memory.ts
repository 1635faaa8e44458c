/** What the scheduler keeps between two rounds: who is where, and who waits. */
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
  /** Pods that have a place on a node, and wait for volumes there. */
  readonly preparing = new Map<string, Placement>();
  /** Pods behind a scheduling gate. */
  readonly gated = new Set<string>();
}

/** Every pod that has no node yet, for diagnostics. */
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
