/**
 * Pure: sets of completion indexes, with the text format "1,3-5,7".
 *
 * A set consists of pages of bits that are created on demand: a million indexes take 125 KB, and a
 * single index of two billion takes one page. All full pages share one instance. Sets are modified
 * in place. The cost of adding, removing and testing does not depend on the size, and unchanged
 * parts are not formatted again.
 */
import { fullPiece, joinPieces, type Piece, pieceOf, textOf } from "./index-text.ts";

export interface IndexSet {
  size: number;
  readonly pages: Map<number, Page>;
  /** The last formatted text, until something changes. */
  text: string | undefined;
}

interface Page {
  count: number;
  readonly words: Uint32Array;
  /** The last formatted text, until something changes: of the whole page, and by section. */
  piece: Piece | undefined;
  readonly sections: (Piece | undefined)[];
}

const PAGE_SIZE = 2 ** 15;
const SECTION_SIZE = 2 ** 10;
const WORDS = PAGE_SIZE / 32;
const ALL_ONES = 0xffffffff;
const FULL: Page = newPage(PAGE_SIZE, new Uint32Array(WORDS).fill(ALL_ONES));

export function emptyIndexes(): IndexSet {
  return { size: 0, pages: new Map(), text: "" };
}

export function hasIndex({ pages }: IndexSet, index: number): boolean {
  const page = pages.get(Math.floor(index / PAGE_SIZE));
  return page !== undefined && (wordAt(page, index) & bitOf(index)) !== 0;
}

/** Returns true if it was not in the set before. */
export function addIndex(set: IndexSet, index: number): boolean {
  if (hasIndex(set, index)) return false;
  const page = writablePage(set, Math.floor(index / PAGE_SIZE));
  page.words[wordOf(index)] = wordAt(page, index) | bitOf(index);
  set.size++;
  forgetText(set, page, index);
  page.count++;
  if (page.count === PAGE_SIZE) set.pages.set(Math.floor(index / PAGE_SIZE), FULL);
  return true;
}

/** Returns true if it was in the set before. */
export function removeIndex(set: IndexSet, index: number): boolean {
  if (!hasIndex(set, index)) return false;
  const page = writablePage(set, Math.floor(index / PAGE_SIZE));
  page.words[wordOf(index)] = wordAt(page, index) & ~bitOf(index);
  set.size--;
  forgetText(set, page, index);
  page.count--;
  if (page.count === 0) set.pages.delete(Math.floor(index / PAGE_SIZE));
  return true;
}

/**
 * Lenient, as Kubernetes reads a status: invalid parts are skipped, and indexes from `completions`
 * on are cut off.
 */
export function parseIndexes(text: string, completions: number): IndexSet {
  const set = emptyIndexes();
  for (let at = 0; at < text.length; ) {
    const comma = text.indexOf(",", at);
    const part = text.slice(at, comma < 0 ? text.length : comma);
    at += part.length + 1;
    const dash = part.indexOf("-");
    const first = parseIndex(dash < 0 ? part : part.slice(0, dash));
    if (first === undefined) continue;
    if (first >= completions) break;
    const last = dash < 0 ? first : parseIndex(part.slice(dash + 1).split("-", 1)[0] ?? "");
    if (last !== undefined) addRange(set, first, Math.min(last, completions - 1));
  }
  return set;
}

/** In ascending order; three or more consecutive indexes form a range. */
export function formatIndexes(set: IndexSet): string {
  set.text ??= textOf(pageNumbers(set).map((at) => pagePiece(set, at)));
  return set.text;
}

export function countCommon(one: IndexSet, other: IndexSet): number {
  let common = 0;
  for (const [at, { words }] of one.pages) {
    const opposite = other.pages.get(at)?.words;
    if (opposite === undefined) continue;
    for (let word = 0; word < WORDS; word++) {
      common += countBits((words[word] ?? 0) & (opposite[word] ?? 0));
    }
  }
  return common;
}

/** The lowest indexes below the limit that are in none of the sets, at most `count`. */
export function firstMissing(sets: readonly IndexSet[], limit: number, count: number): number[] {
  const missing: number[] = [];
  for (let page = 0; page * PAGE_SIZE < limit && missing.length < count; page++) {
    const pages = sets.flatMap((set) => set.pages.get(page) ?? []);
    if (pages.includes(FULL)) continue;
    for (let word = 0; word < WORDS && missing.length < count; word++) {
      let free = ALL_ONES;
      for (const { words } of pages) free &= ~(words[word] ?? 0);
      for (let bit = 0; free !== 0 && missing.length < count; bit++, free >>>= 1) {
        const index = page * PAGE_SIZE + word * 32 + bit;
        if (index >= limit) return missing;
        if ((free & 1) !== 0) missing.push(index);
      }
    }
  }
  return missing;
}

/** The lowest indexes of the set that are in none of the others, at most `count`. */
export function firstExcept(set: IndexSet, others: readonly IndexSet[], count: number): number[] {
  const found: number[] = [];
  for (const at of pageNumbers(set)) {
    const { words } = set.pages.get(at) ?? FULL;
    const pages = others.flatMap((other) => other.pages.get(at) ?? []);
    for (let word = 0; word < WORDS && found.length < count; word++) {
      let bits = words[word] ?? 0;
      for (const other of pages) bits &= ~(other.words[word] ?? 0);
      for (let bit = 0; bits !== 0 && found.length < count; bit++, bits >>>= 1) {
        if ((bits & 1) !== 0) found.push(at * PAGE_SIZE + word * 32 + bit);
      }
    }
  }
  return found;
}

/** The lowest index of the set from `from` on and below the limit. */
export function nextIndex({ pages }: IndexSet, from: number, limit: number): number | undefined {
  return nextBit(from, limit, (page) => {
    const words = pages.get(page)?.words;
    return words && ((word) => words[word] ?? 0);
  });
}

/** The lowest index from `from` on and below the limit that is in none of the sets. */
export function nextMissing(
  sets: readonly IndexSet[],
  from: number,
  limit: number,
): number | undefined {
  return nextBit(from, limit, (at) => {
    const pages = sets.flatMap((set) => set.pages.get(at) ?? []);
    if (pages.includes(FULL)) return undefined;
    return (word) => pages.reduce((free, { words }) => free & ~(words[word] ?? 0), ALL_ONES);
  });
}

/** `wordsOf` returns undefined for a page without candidates, so that its words are not read. */
function nextBit(
  from: number,
  limit: number,
  wordsOf: (page: number) => ((word: number) => number) | undefined,
): number | undefined {
  for (let index = from; index < limit; index = nextPage(index)) {
    const page = Math.floor(index / PAGE_SIZE);
    const words = wordsOf(page);
    if (!words) continue;
    for (let word = wordOf(index); word < WORDS; word++) {
      const base = page * PAGE_SIZE + word * 32;
      const bits = base < index ? words(word) & (ALL_ONES << (index - base)) : words(word);
      if (bits === 0) continue;
      const found = base + 31 - Math.clz32(bits & -bits);
      return found < limit ? found : undefined;
    }
  }
  return undefined;
}

function nextPage(index: number): number {
  return (Math.floor(index / PAGE_SIZE) + 1) * PAGE_SIZE;
}

function wordOf(index: number): number {
  return Math.floor((index % PAGE_SIZE) / 32);
}

function wordAt({ words }: Page, index: number): number {
  return words[wordOf(index)] ?? 0;
}

function bitOf(index: number): number {
  return 1 << (index % 32);
}

function writablePage({ pages }: IndexSet, at: number): Page {
  const page = pages.get(at);
  if (page !== undefined && page !== FULL) return page;
  const fresh = page ? newPage(PAGE_SIZE, FULL.words.slice()) : newPage(0, new Uint32Array(WORDS));
  pages.set(at, fresh);
  return fresh;
}

function newPage(count: number, words: Uint32Array): Page {
  return { count, words, piece: undefined, sections: [] };
}

function forgetText(set: IndexSet, page: Page, index: number): void {
  set.text = undefined;
  page.piece = undefined;
  page.sections[Math.floor((index % PAGE_SIZE) / SECTION_SIZE)] = undefined;
}

function addRange(set: IndexSet, first: number, last: number): void {
  for (let index = first; index <= last; index = nextPage(index)) {
    const at = Math.floor(index / PAGE_SIZE);
    const end = nextPage(index) - 1;
    if (index === at * PAGE_SIZE && end <= last) {
      set.size += PAGE_SIZE - (set.pages.get(at)?.count ?? 0);
      set.text = undefined;
      set.pages.set(at, FULL);
    } else addWithin(set, at, { first: index, last: Math.min(last, end) });
  }
}

/** Adds a range within one page, word by word, because texts may have thousands of ranges. */
function addWithin(
  set: IndexSet,
  at: number,
  { first, last }: { readonly first: number; readonly last: number },
): void {
  if (set.pages.get(at) === FULL) return;
  const page = writablePage(set, at);
  let added = 0;
  for (let word = wordOf(first); word <= wordOf(last); word++) {
    const base = at * PAGE_SIZE + word * 32;
    const low = Math.max(0, first - base);
    const high = Math.min(31, last - base);
    const bits = (ALL_ONES >>> (31 - high + low)) << low;
    const before = page.words[word] ?? 0;
    page.words[word] = before | bits;
    added += countBits(bits & ~before);
  }
  set.size += added;
  page.count += added;
  for (let index = first; index <= last; index += SECTION_SIZE) forgetText(set, page, index);
  forgetText(set, page, last);
  if (page.count === PAGE_SIZE) set.pages.set(at, FULL);
}

function countBits(word: number): number {
  let count = 0;
  for (let bits = word; bits !== 0; bits &= bits - 1) count++;
  return count;
}

/** Digits with an optional plus sign. */
function parseIndex(text: string): number | undefined {
  const from = text.startsWith("+") ? 1 : 0;
  if (from === text.length) return undefined;
  let value = 0;
  for (let at = from; at < text.length; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return value;
}

const ZERO = 48;

function pagePiece({ pages }: IndexSet, at: number): Piece {
  const first = at * PAGE_SIZE;
  const span = { first, end: first + PAGE_SIZE };
  const page = pages.get(at) ?? FULL;
  if (page === FULL) return fullPiece(span);
  if (page.piece) return page.piece;
  const sections: Piece[] = [];
  for (let section = 0; section * SECTION_SIZE < PAGE_SIZE; section++) {
    const start = first + section * SECTION_SIZE;
    const piece =
      page.sections[section] ??
      pieceOf(page.words, wordOf(start), { first: start, end: start + SECTION_SIZE });
    page.sections[section] = piece;
    sections.push(piece);
  }
  page.piece = joinPieces(sections, span);
  return page.piece;
}

function pageNumbers({ pages }: Pick<IndexSet, "pages">): number[] {
  return [...pages.keys()].sort((one, other) => one - other);
}
