/**
 * Past states, for paged lists: the newest state with all later changes reverted. The last few are
 * kept, so that a list of many pages computes its snapshot once, and can continue even if the
 * history no longer reaches back to its revision.
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

  /** Throws ExpiredRevision if the history does not reach back that far. */
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
