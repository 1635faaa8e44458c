/**
 * Pure: sets of completion indexes, as text "1,3-5,7".
 *
 * A set is pages of bits, made as they are needed: a million indexes take 125 KB, one lonely index
 * of two thousand million takes a page. Pages that are full are all the same page. Sets change in
 * place: adding, removing and asking cost the same however many there are.
 */

export interface IndexSet {
  size: number;
  readonly pages: Map<number, Page>;
  /** As it was last formatted, until something changes. */
  text: string | undefined;
}

interface Page {
  count: number;
  readonly words: Uint32Array;
}

const PAGE_SIZE = 2 ** 15;
const WORDS = PAGE_SIZE / 32;
const ALL_ONES = 0xffffffff;
const FULL: Page = { count: PAGE_SIZE, words: new Uint32Array(WORDS).fill(ALL_ONES) };

export function emptyIndexes(): IndexSet {
  return { size: 0, pages: new Map(), text: "" };
}

export function hasIndex({ pages }: IndexSet, index: number): boolean {
  const page = pages.get(Math.floor(index / PAGE_SIZE));
  return page !== undefined && (wordAt(page, index) & bitOf(index)) !== 0;
}

/** Whether it was not there before. */
export function addIndex(set: IndexSet, index: number): boolean {
  if (hasIndex(set, index)) return false;
  const page = writablePage(set, Math.floor(index / PAGE_SIZE));
  page.words[wordOf(index)] = wordAt(page, index) | bitOf(index);
  set.size++;
  set.text = undefined;
  page.count++;
  if (page.count === PAGE_SIZE) set.pages.set(Math.floor(index / PAGE_SIZE), FULL);
  return true;
}

/** Whether it was there before. */
export function removeIndex(set: IndexSet, index: number): boolean {
  if (!hasIndex(set, index)) return false;
  const page = writablePage(set, Math.floor(index / PAGE_SIZE));
  page.words[wordOf(index)] = wordAt(page, index) & ~bitOf(index);
  set.size--;
  set.text = undefined;
  page.count--;
  if (page.count === 0) set.pages.delete(Math.floor(index / PAGE_SIZE));
  return true;
}

/** Lenient, as Kubernetes reads a status: bad parts are passed over, large indexes cut off. */
export function parseIndexes(text: string, completions: number): IndexSet {
  const set = emptyIndexes();
  if (text === "") return set;
  for (const part of text.split(",")) {
    const [from = "", to = from] = part.split("-");
    const [first, last] = [parseIndex(from), parseIndex(to)];
    if (first === undefined) continue;
    if (first >= completions) break;
    if (last !== undefined) addRange(set, first, Math.min(last, completions - 1));
  }
  return set;
}

/** Ascending; three or more in a row are a range. */
export function formatIndexes(set: IndexSet): string {
  set.text ??= textOf(set).slice(1);
  return set.text;
}

export function countCommon(one: IndexSet, other: IndexSet): number {
  let common = 0;
  for (const [at, { words }] of one.pages) {
    const opposite = other.pages.get(at)?.words;
    if (opposite === undefined) continue;
    for (let word = 0; word < WORDS; word++) {
      let bits = (words[word] ?? 0) & (opposite[word] ?? 0);
      for (; bits !== 0; bits &= bits - 1) common++;
    }
  }
  return common;
}

/** The lowest indexes below the limit that are in none of the sets, at most so many. */
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
  const fresh = page
    ? { count: PAGE_SIZE, words: FULL.words.slice() }
    : { count: 0, words: new Uint32Array(WORDS) };
  pages.set(at, fresh);
  return fresh;
}

function addRange(set: IndexSet, first: number, last: number): void {
  let index = first;
  while (index <= last) {
    const at = index / PAGE_SIZE;
    if (Number.isInteger(at) && index + PAGE_SIZE - 1 <= last) {
      set.size += PAGE_SIZE - (set.pages.get(at)?.count ?? 0);
      set.text = undefined;
      set.pages.set(at, FULL);
      index += PAGE_SIZE;
    } else {
      addIndex(set, index);
      index++;
    }
  }
}

function parseIndex(text: string): number | undefined {
  return /^\+?[0-9]+$/.test(text) ? Number(text) : undefined;
}

/** Each run of neighbours after a comma. Full words are passed at once. */
function textOf({ pages }: IndexSet): string {
  let text = "";
  let first = 0;
  let end = 0;
  for (const at of [...pages.keys()].sort((one, other) => one - other)) {
    const { words } = pages.get(at) ?? FULL;
    for (let word = 0; word < WORDS; word++) {
      const bits = words[word] ?? 0;
      if (bits === 0) continue;
      const base = at * PAGE_SIZE + word * 32;
      if (bits === ALL_ONES && end === base) {
        end += 32;
        continue;
      }
      for (let bit = 0; bit < 32; bit++) {
        if ((bits & (1 << bit)) === 0) continue;
        const index = base + bit;
        if (index !== end) {
          text += runText(first, end);
          first = index;
        }
        end = index + 1;
      }
    }
  }
  return text + runText(first, end);
}

/** From the first up to, and without, the end. */
function runText(first: number, end: number): string {
  const length = end - first;
  if (length === 0) return "";
  if (length === 1) return `,${first}`;
  return length === 2 ? `,${first},${end - 1}` : `,${first}-${end - 1}`;
}
