/**
 * States of the past, for lists that go on page by page: the newest state with everything since
 * taken back. The last few are kept, so a list of many pages pays once, and goes on even when the
 * history has moved past its revision.
 */
import type { History } from "./history.ts";
import type { OrderedObjects } from "./ordered-objects.ts";

export class Snapshots {
  readonly #history: History;
  /** In order of last use. */
  readonly #kept = new Map<string, OrderedObjects>();

  constructor(history: History) {
    this.#history = history;
  }

  /** Throws ExpiredRevision when the history does not reach back that far. */
  at(revision: number, resource: string, newest: OrderedObjects): OrderedObjects {
    const id = `${revision} ${resource}`;
    const snapshot = this.#kept.get(id) ?? this.#takeBack(revision, resource, newest);
    this.#kept.delete(id);
    this.#kept.set(id, snapshot);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT) break;
      this.#kept.delete(oldest);
    }
    return snapshot;
  }

  #takeBack(revision: number, resource: string, newest: OrderedObjects): OrderedObjects {
    const snapshot = newest.copy();
    for (const { key, previous } of this.#history.after(revision, resource).reverse()) {
      if (previous) snapshot.put(key, previous);
      else snapshot.delete(key);
    }
    return snapshot;
  }
}

const MOST_KEPT = 16;
