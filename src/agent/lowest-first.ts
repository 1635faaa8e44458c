/**
 * Pure: keys that wait, the one with the lowest rank first, equal ones in the order they came. A
 * binary heap: adding, taking and deleting cost the logarithm of how many wait.
 */

interface Entry<Key> {
  readonly key: Key;
  readonly rank: number;
  readonly order: number;
}

export class LowestFirst<Key> {
  readonly #heap: Entry<Key>[] = [];
  /** Where in the heap a key is. */
  readonly #places = new Map<Key, number>();
  #orders = 0;

  get size(): number {
    return this.#heap.length;
  }

  /** A key that waits already keeps its rank. */
  add(key: Key, rank: number): void {
    if (this.#places.has(key)) return;
    this.#put(this.#heap.length, { key, rank, order: this.#orders++ });
    this.#rise(this.#heap.length - 1);
  }

  /** Takes the first. */
  shift(): Key | undefined {
    const first = this.#heap[0];
    if (first) this.delete(first.key);
    return first?.key;
  }

  delete(key: Key): void {
    const at = this.#places.get(key);
    if (at === undefined) return;
    this.#places.delete(key);
    const last = this.#heap.pop();
    if (!last || last.key === key) return;
    // The last one fills the gap, which may be too high or too low for it.
    this.#put(at, last);
    this.#rise(at);
    this.#sink(this.#places.get(last.key) ?? at);
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(from: number): void {
    for (let at = from; ; ) {
      const left = 2 * at + 1;
      const child = this.#isBefore(left + 1, left) ? left + 1 : left;
      if (!this.#isBefore(child, at)) return;
      this.#swap(at, child);
      at = child;
    }
  }

  /** A place beyond the end is before none. */
  #isBefore(one: number, other: number): boolean {
    const [first, second] = [this.#heap[one], this.#heap[other]];
    if (!first || !second) return false;
    return first.rank === second.rank ? first.order < second.order : first.rank < second.rank;
  }

  #swap(one: number, other: number): void {
    const [first, second] = [this.#heap[one], this.#heap[other]];
    if (!first || !second) return;
    this.#put(one, second);
    this.#put(other, first);
  }

  #put(at: number, entry: Entry<Key>): void {
    this.#heap[at] = entry;
    this.#places.set(entry.key, at);
  }
}
