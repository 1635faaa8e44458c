/**
 * The only source of randomness. Code that needs it takes a Random, so that a seed can replay a
 * run.
 */
import { randomFillSync, randomUUID } from "node:crypto";

export interface Random {
  /** A version 4 UUID, for metadata.uid. */
  uuid(): string;
  /** The five characters that complete a generateName. */
  suffix(): string;
  /** An integer from 0 up to, but not including, the limit. */
  below(limit: number): number;
}

/**
 * Kubernetes' alphabet: no vowels and no 0, 1 or 3, so that no suffix spells a word and no two
 * characters are confused.
 */
export const SUFFIX_ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
const SUFFIX_LENGTH = 5;

export const systemRandom: Random = {
  uuid: () => randomUUID(),
  suffix: () => suffixFrom(below),
  below,
};

/** The same numbers for the same seed, on every machine. Not suitable for secrets. */
export function seededRandom(seed: number): Random {
  const nextWord = mulberry32(seed);
  const draw = (limit: number) => uniformBelow(limit, nextWord);
  return {
    uuid: () => uuidFrom(nextWord),
    suffix: () => suffixFrom(draw),
    below: draw,
  };
}

function suffixFrom(draw: (limit: number) => number): string {
  let suffix = "";
  for (let count = 0; count < SUFFIX_LENGTH; count++) {
    suffix += SUFFIX_ALPHABET.charAt(draw(SUFFIX_ALPHABET.length));
  }
  return suffix;
}

function below(limit: number): number {
  return uniformBelow(limit, nextSystemWord);
}

/** Words that would make small numbers more likely are drawn again. */
function uniformBelow(limit: number, nextWord: () => number): number {
  const fair = 2 ** 32 - (2 ** 32 % limit);
  for (;;) {
    const word = nextWord();
    if (word < fair) return word % limit;
  }
}

/** A system call is expensive, so 1,024 words are fetched at a time. */
const pool = new Uint32Array(1024);
let used = pool.length;

function nextSystemWord(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool[used++] ?? 0;
}

function uuidFrom(nextWord: () => number): string {
  const hex = Array.from({ length: 4 }, () => nextWord().toString(16).padStart(8, "0")).join("");
  const variant = "89ab".charAt(nextWord() % 4);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20),
  ].join("-");
}

/** A well-known 32-bit generator: small, fast and good enough to shuffle a simulation. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}
