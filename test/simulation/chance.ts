/** Random choices for a simulation. All of them come from one seed. */
import { seededRandom } from "../../src/base/random.ts";

export class Chance {
  readonly #below: (limit: number) => number;

  /**
   * Each name gets its own sequence of numbers from a seed, so that one part does not affect
   * another.
   */
  constructor(seed: number, name: string) {
    this.#below = seededRandom(mixed(seed, name)).below;
  }

  happens(probability: number): boolean {
    return this.#below(1_000_000) < probability * 1_000_000;
  }

  /** An integer from low to high, both included. */
  between(low: number, high: number): number {
    return low + this.#below(high - low + 1);
  }

  pick<T>(items: readonly [T, ...T[]] | readonly T[]): T {
    return items[this.#below(items.length)] as T;
  }
}

export function mixed(seed: number, name: string): number {
  let hash = (seed ^ 0x9e3779b9) >>> 0;
  for (let at = 0; at < name.length; at++) {
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193) >>> 0;
    hash = (hash ^ (hash >>> 15)) >>> 0;
  }
  return hash;
}
