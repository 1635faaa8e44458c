/**
 * Pure: pods that were made ahead of time, and whose turn it is. A Job may have more pods made than
 * it runs at once, so that the next one begins the moment one ends, and not after a round through
 * the server and the disk. Until its turn such a pod is left alone: it has not begun.
 */

interface Group {
  limit: number;
  readonly running: Set<string>;
  /** In the order they came. */
  readonly waiting: Set<string>;
}

export class Turns {
  readonly #groups = new Map<string, Group>();
  readonly #groupOf = new Map<string, string>();

  /** Whether the pod may begin now; if not, it is told of when it may. */
  take(group: string, uid: string, limit: number): boolean {
    const own = this.#join(group, uid, limit);
    if (own.running.has(uid)) return true;
    if (own.running.size >= own.limit) {
      own.waiting.add(uid);
      return false;
    }
    own.waiting.delete(uid);
    own.running.add(uid);
    return true;
  }

  /** What runs already has its turn, however many do. */
  keep(group: string, uid: string, limit: number): void {
    this.#join(group, uid, limit).running.add(uid);
  }

  /** Answers with those whose turn it is. */
  leave(uid: string): readonly string[] {
    const name = this.#groupOf.get(uid);
    const group = name === undefined ? undefined : this.#groups.get(name);
    this.#groupOf.delete(uid);
    if (name === undefined || group === undefined) return [];
    group.running.delete(uid);
    group.waiting.delete(uid);
    const next = advance(group);
    if (group.running.size + group.waiting.size === 0) this.#groups.delete(name);
    return next;
  }

  /** Answers with those whose turn it is. */
  limit(group: string, limit: number): readonly string[] {
    const own = this.#groups.get(group);
    if (!own) return [];
    own.limit = limit;
    return advance(own);
  }

  /** A pod stays in the group it came with: clients may change its owner while it waits. */
  #join(name: string, uid: string, limit: number): Group {
    const former = this.#groupOf.get(uid) ?? name;
    const own = former === name ? undefined : this.#groups.get(former);
    if (own) return own;
    this.#groupOf.set(uid, name);
    return this.#group(name, limit);
  }

  #group(name: string, limit: number): Group {
    const known = this.#groups.get(name);
    if (known) {
      known.limit = limit;
      return known;
    }
    const made: Group = { limit, running: new Set(), waiting: new Set() };
    this.#groups.set(name, made);
    return made;
  }
}

function advance({ limit, running, waiting }: Group): readonly string[] {
  const next: string[] = [];
  for (const uid of waiting) {
    if (running.size >= limit) break;
    waiting.delete(uid);
    running.add(uid);
    next.push(uid);
  }
  return next;
}
