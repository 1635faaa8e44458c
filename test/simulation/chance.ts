/** Chance in the words a simulation needs. All of it comes from one seed. */
import { seededRandom } from "../../src/base/random.ts";

export class Chance {
  readonly #below: (limit: number) => number;

  /** Of one seed each name has numbers of its own: one part does not disturb another. */
  constructor(seed: number, name: string) {
    this.#below = seededRandom(mixed(seed, name)).below;
  }

  happens(probability: number): boolean {
    return this.#below(1_000_000) < probability * 1_000_000;
  }

  /** A whole number, both ends included. */
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
