/** Revisions that never reached the disk: the lost changes and the changes that undid them. */
import type { StorageFailed } from "./types.ts";

export interface UndoneRange {
  readonly from: number;
  /** The revision at which memory matches the disk again; it counts as synced. */
  readonly to: number;
  readonly error: StorageFailed;
}

export class UndoneRevisions {
  #ranges: UndoneRange[] = [];

  add(range: UndoneRange): void {
    this.#ranges.push(range);
  }

  /** Why the revision will never be durable; undefined if it is durable or may still become so. */
  failureOf(revision: number): StorageFailed | undefined {
    const range = this.#find(revision);
    return range && revision < range.to ? range.error : undefined;
  }

  /** Whether a change of this revision must not be shown outside the process. */
  hides(revision: number): boolean {
    return this.#find(revision) !== undefined;
  }

  forgetBefore(revision: number): void {
    const first = this.#ranges[0];
    if (first === undefined || first.to >= revision) return;
    this.#ranges = this.#ranges.filter((range) => range.to >= revision);
  }

  #find(revision: number): UndoneRange | undefined {
    let low = 0;
    let high = this.#ranges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const range = this.#ranges[middle];
      if (range && range.to < revision) low = middle + 1;
      else high = middle;
    }
    const found = this.#ranges[low];
    return found && found.from <= revision ? found : undefined;
  }
}
