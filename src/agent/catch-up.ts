/** Tells when everything is told of that had ended before the agent began. */
export class CatchUp {
  /** Pods with such an end that is not told of yet. */
  readonly #behind = new Set<string>();
  #hasBegun = false;
  #resolve: () => void = () => {};
  readonly isDone = new Promise<void>((resolve) => {
    this.#resolve = resolve;
  });

  noteBehind(uid: string): void {
    if (!this.#hasBegun) this.#behind.add(uid);
  }

  noteTold(uid: string): void {
    this.#behind.delete(uid);
    this.#settle();
  }

  /** All that are behind are known. */
  begin(): void {
    this.#hasBegun = true;
    this.#settle();
  }

  #settle(): void {
    if (this.#hasBegun && this.#behind.size === 0) this.#resolve();
  }
}
