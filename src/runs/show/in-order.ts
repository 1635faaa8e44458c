/** Pure: delays results until all items before them in the list have ended. */

export class InOrder<T> {
  readonly #waiting = new Map<number, T>();
  #next = 0;

  /**
   * @param isSettled whether an index has ended. It may also hold for an index that was added: an
   * index is skipped only if nothing was added for it, such as one that ended before this run.
   */
  constructor(private readonly isSettled: (index: number) => boolean) {}

  /** Returns the results that may be shown now. An index that was passed is shown at once. */
  add(index: number, value: T): readonly T[] {
    if (index < this.#next) return [value];
    this.#waiting.set(index, value);
    const ready: T[] = [];
    for (;;) {
      const next = this.#waiting.get(this.#next);
      if (next !== undefined) ready.push(next);
      else if (!this.isSettled(this.#next)) return ready;
      this.#waiting.delete(this.#next);
      this.#next++;
    }
  }

  /** The remaining results in order, when no more will come. */
  rest(): readonly T[] {
    const left = [...this.#waiting].sort(([one], [other]) => one - other);
    this.#waiting.clear();
    return left.map(([, value]) => value);
  }
}
