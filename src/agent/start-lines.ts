/**
 * Starts on their way to the runtime, one line for each owner. What a start waits for, such as the
 * disk or its volumes, may be there sooner for one that joined later: it waits for those before it,
 * until each is handed over or given up. So the runtime hears of them in the order they joined.
 */

export interface PlaceInLine {
  /** Settles when it is the first; undefined where it is already. */
  readonly before: Promise<void> | undefined;
  /** Lets the next one go. More than once is as good as once. */
  leave(): void;
}

const ALONE: PlaceInLine = { before: undefined, leave: () => {} };

export class StartLines {
  /** By owner; settles when the last one in its line has left, and all before it. */
  private readonly lines = new Map<string, Promise<void>>();

  /** Without an owner there is nobody to wait for. */
  join(owner: string | undefined): PlaceInLine {
    if (owner === undefined) return ALONE;
    const before = this.lines.get(owner);
    let leave = () => {};
    const hasLeft = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const last = before === undefined ? hasLeft : before.then(() => hasLeft);
    this.lines.set(owner, last);
    void last.then(() => {
      if (this.lines.get(owner) === last) this.lines.delete(owner);
    });
    return { before, leave };
  }
}
