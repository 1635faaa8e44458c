/** What the scheduler keeps between two rounds: who is where, and who waits. */
import type { Pod } from "../../api/generated/core.ts";
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

export function podKey({ metadata }: Pod): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}
