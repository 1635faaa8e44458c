/** Pure: holds back what ended early until everything before it in the list has ended. */

export class InOrder<T> {
  readonly #waiting = new Map<number, T>();
  #next: number;

  /** @param isSettled whether an index ended before anybody listened */
  constructor(private readonly isSettled: (index: number) => boolean) {
    this.#next = 0;
    this.#skipSettled();
  }

  /** What may be shown now, in order. */
  add(index: number, value: T): readonly T[] {
    this.#waiting.set(index, value);
    const ready: T[] = [];
    for (;;) {
      const next = this.#waiting.get(this.#next);
      if (next === undefined) return ready;
      ready.push(next);
      this.#waiting.delete(this.#next);
      this.#next++;
      this.#skipSettled();
    }
  }

  /** What is left when nothing more comes: in order, though with gaps. */
  rest(): readonly T[] {
    const left = [...this.#waiting].sort(([one], [other]) => one - other);
    this.#waiting.clear();
    return left.map(([, value]) => value);
  }

  #skipSettled(): void {
    while (this.isSettled(this.#next)) this.#next++;
  }
}
