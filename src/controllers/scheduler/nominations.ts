/**
 * Pure: pods that wait for preempted pods to end, and the nodes they are nominated to. Until they
 * are placed, their resources count as used for all pods of equal or lower priority.
 */
import type { PodNeeds } from "./needs.ts";
import { type NodeRoom, supposeUse } from "./rooms.ts";

export interface Nomination {
  readonly node: string;
  readonly needs: PodNeeds;
  /** The UIDs of the pods that were preempted for it. */
  readonly victims: ReadonlySet<string>;
}

export class Nominations {
  readonly #byPod = new Map<string, Nomination>();

  find(pod: string): Nomination | undefined {
    return this.#byPod.get(pod);
  }

  set(pod: string, nomination: Nomination): void {
    this.#byPod.set(pod, nomination);
  }

  remove(pod: string): void {
    this.#byPod.delete(pod);
  }

  /** The nominated pods of lower priority on a node. */
  below(node: string, priority: number): readonly string[] {
    return [...this.#byPod]
      .filter(([, each]) => each.node === node && each.needs.priority < priority)
      .map(([pod]) => pod);
  }

  /** The rooms as a pod sees them: resources reserved for nominated pods are counted as used. */
  roomsFor(pod: string, { priority }: PodNeeds, rooms: readonly NodeRoom[]): readonly NodeRoom[] {
    if (this.#byPod.size === 0) return rooms;
    const promised = new Map<string, PodNeeds[]>();
    for (const [other, { node, needs }] of this.#byPod) {
      if (other === pod || needs.priority < priority) continue;
      promised.set(node, [...(promised.get(node) ?? []), needs]);
    }
    if (promised.size === 0) return rooms;
    return rooms.map((room) => {
      const added = promised.get(room.facts.name);
      return added ? { ...room, use: supposeUse(room.use, { added }) } : room;
    });
  }
}
