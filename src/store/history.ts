/** Recent changes of all resources, in order. Resumed watches and paged lists read them. */
import { type Change, ExpiredRevision } from "./types.ts";

export interface HistoryLimits {
  readonly changes: number;
  /** Size of the objects as JSON. Objects that are not encoded yet count as GUESSED_BYTES. */
  readonly bytes: number;
}

export const HISTORY_LIMITS: HistoryLimits = { changes: 100_000, bytes: 256 * 1024 * 1024 };

interface Selection {
  readonly isVisible?: (change: Change) => boolean;
  /** Return only this many changes, the earliest ones. */
  readonly limit?: number | undefined;
}

export class History {
  readonly #limits: HistoryLimits;
  readonly #changes: Change[] = [];
  readonly #sizes: number[] = [];
  #bytes = 0;
  #oldest: number;

  constructor(oldest: number, limits: HistoryLimits) {
    this.#oldest = oldest;
    this.#limits = limits;
  }

  /** The earliest revision after which all changes are still known. */
  get oldest(): number {
    return this.#oldest;
  }

  append(change: Change): void {
    this.#changes.push(change);
    this.#sizes.push(GUESSED_BYTES);
    this.#bytes += GUESSED_BYTES;
    this.#trim();
  }

  /** Replaces the guessed size once the object of that revision has been encoded. */
  weigh(revision: number, bytes: number): void {
    const index = this.#indexAfter(revision - 1);
    if (this.#changes[index]?.revision !== revision) return;
    this.#bytes += bytes - (this.#sizes[index] ?? 0);
    this.#sizes[index] = bytes;
    this.#trim();
  }

  after(revision: number, resource: string, { isVisible, limit }: Selection = {}): Change[] {
    if (revision < this.#oldest) throw new ExpiredRevision(this.#oldest);
    const found: Change[] = [];
    for (let index = this.#indexAfter(revision); index < this.#changes.length; index++) {
      const change = this.#changes[index];
      if (change?.key.resource !== resource) continue;
      if (found.length === limit) break;
      if (!isVisible || isVisible(change)) found.push(change);
    }
    return found;
  }

  #indexAfter(revision: number): number {
    let low = 0;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const change = this.#changes[middle];
      if (change && change.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * Trims only when a limit is exceeded by a quarter, so that each entry is moved only a few times.
   */
  #trim(): void {
    const { changes, bytes } = this.#limits;
    if (this.#changes.length <= changes * SLACK && this.#bytes <= bytes * SLACK) return;
    let cut = Math.max(0, this.#changes.length - changes);
    let kept = this.#bytes;
    for (let index = 0; index < cut; index++) kept -= this.#sizes[index] ?? 0;
    while (kept > bytes && cut < this.#changes.length) kept -= this.#sizes[cut++] ?? 0;
    this.#oldest = this.#changes[cut - 1]?.revision ?? this.#oldest;
    this.#changes.splice(0, cut);
    this.#sizes.splice(0, cut);
    this.#bytes = kept;
  }
}

const GUESSED_BYTES = 2048;
const SLACK = 1.25;
