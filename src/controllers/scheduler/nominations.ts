/**
 * Pure: pods that wait for others to make room for them, and the nodes where this happens. Until
 * they are there, what they need counts as taken for everyone who matters no more than they do.
 */
import type { PodNeeds } from "./needs.ts";
import { type NodeRoom, supposeUse } from "./rooms.ts";

export interface Nomination {
  readonly node: string;
  readonly needs: PodNeeds;
  /** The uids of those that were told to go for it. */
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

  /** The pods nominated to the node that matter less. */
  below(node: string, priority: number): readonly string[] {
    return [...this.#byPod]
      .filter(([, each]) => each.node === node && each.needs.priority < priority)
      .map(([pod]) => pod);
  }

  /** The rooms as a pod finds them that is not to take what others were promised. */
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
