/**
 * Pure: which pods of a Job may begin, and in which order. A Job may have more pods made than it
 * runs at once, so that the next one begins the moment one ends, and not after a round through the
 * server and the disk. Whenever there is room, the waiting pod with the lowest completion index
 * begins, whichever came first: after a restart pods come in the order of their names.
 *
 * A change names nobody by itself: `call` does, once all that is known is entered.
 */
import { LowestFirst } from "./lowest-first.ts";

interface Group {
  limit: number;
  readonly running: Set<string>;
  readonly waiting: LowestFirst<string>;
}

export interface WaitingPod {
  readonly uid: string;
  /** Undefined where the Job is not Indexed: such a pod waits in the order of arrival. */
  readonly index: number | undefined;
}

export class Turns {
  readonly #groups = new Map<string, Group>();
  readonly #groupOf = new Map<string, string>();
  /** Groups in which somebody may have a turn now. */
  readonly #changed = new Set<string>();

  has(uid: string): boolean {
    const group = this.#groupOf.get(uid);
    return group !== undefined && this.#groups.get(group)?.running.has(uid) === true;
  }

  /** The pod waits until `call` names it. It is entered once, with the index it has then. */
  wait(group: string, { uid, index = Number.POSITIVE_INFINITY }: WaitingPod, limit: number): void {
    const own = this.#enter(group, uid, limit);
    if (!own.running.has(uid)) own.waiting.add(uid, index);
  }

  /** A pod that has begun has its turn, however many have. */
  keep(group: string, uid: string, limit: number): void {
    const own = this.#enter(group, uid, limit);
    own.waiting.delete(uid);
    own.running.add(uid);
  }

  leave(uid: string): void {
    const name = this.#groupOf.get(uid);
    const group = name === undefined ? undefined : this.#groups.get(name);
    this.#groupOf.delete(uid);
    if (name === undefined || group === undefined) return;
    group.running.delete(uid);
    group.waiting.delete(uid);
    this.#changed.add(name);
  }

  limit(group: string, limit: number): void {
    const own = this.#groups.get(group);
    if (!own || own.limit === limit) return;
    own.limit = limit;
    this.#changed.add(group);
  }

  /** Those whose turn it is now; of each Job in the order of their indexes. */
  call(): readonly string[] {
    const called: string[] = [];
    for (const name of this.#changed) {
      const group = this.#groups.get(name);
      if (!group) continue;
      const { running, waiting } = group;
      while (running.size < group.limit) {
        const uid = waiting.shift();
        if (uid === undefined) break;
        running.add(uid);
        called.push(uid);
      }
      if (running.size + waiting.size === 0) this.#groups.delete(name);
    }
    this.#changed.clear();
    return called;
  }

  /** A pod stays in the group it came with: clients may change its owner while it waits. */
  #enter(asked: string, uid: string, limit: number): Group {
    const former = this.#groupOf.get(uid) ?? asked;
    const name = this.#groups.has(former) ? former : asked;
    const known = this.#groups.get(name);
    const group = known ?? { limit, running: new Set(), waiting: new LowestFirst() };
    if (name === asked) group.limit = limit;
    this.#groups.set(name, group);
    this.#groupOf.set(uid, name);
    this.#changed.add(name);
    return group;
  }
}
