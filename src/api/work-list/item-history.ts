/**
 * Pure: which indexes of former Jobs an item had. A run that is resumed with an edited list becomes
 * a new Job, in which the item may have another index. The new list therefore carries, for each of
 * its rows, the chain of (Job, index) that the row's item had before; attempts and logs of the item
 * are found through it. Neighbouring rows mostly moved together, so that chains are kept as ranges.
 */

export interface FormerJob {
  readonly name: string;
  readonly uid: string;
}

/** An index that an item had in a former Job. */
export interface FormerIndex extends FormerJob {
  readonly index: number;
}

export interface ItemHistory {
  /** Oldest first; ranges refer to them by number. */
  readonly jobs: readonly FormerJob[];
  /** In order, and without overlaps. Rows in no range are new. */
  readonly ranges: readonly HistoryRange[];
}

/** Rows whose items had consecutive indexes in each of the same Jobs. */
export interface HistoryRange {
  readonly from: number;
  /** The last row. */
  readonly to: number;
  readonly links: readonly HistoryLink[];
}

interface HistoryLink {
  /** A position in `jobs`. */
  readonly job: number;
  /** The index of the first row in that Job; the other rows follow it. */
  readonly start: number;
}

export const NO_HISTORY: ItemHistory = { jobs: [], ranges: [] };

/** Oldest first. */
export function formerIndexes({ jobs, ranges }: ItemHistory, row: number): readonly FormerIndex[] {
  const range = findRange(ranges, row);
  if (!range) return [];
  return range.links.flatMap(({ job, start }) => {
    const found = jobs[job];
    return found ? [{ ...found, index: start + row - range.from }] : [];
  });
}

export interface FormerRows {
  readonly history: ItemHistory;
  /** The Jobs in which each row was the index of the same number, oldest first. */
  readonly jobs: readonly FormerJob[];
}

/**
 * The history of a new list.
 *
 * @param sources for each of its rows the row of the former list with the same item, or undefined
 */
export function continueHistory(
  former: FormerRows,
  sources: readonly (number | undefined)[],
): ItemHistory {
  const before = former.history.jobs.length;
  const own = former.jobs.map((_, at) => before + at);
  const ranges: HistoryRange[] = [];
  let open: { from: number; to: number; links: readonly HistoryLink[] } | undefined;
  for (const [row, source] of sources.entries()) {
    if (source === undefined) {
      open = undefined;
      continue;
    }
    const range = findRange(former.history.ranges, source);
    const earlier = (range?.links ?? []).map(({ job, start }) => ({
      job,
      start: start + source - (range?.from ?? 0),
    }));
    const links = [...earlier, ...own.map((job) => ({ job, start: source }))];
    if (open && row === open.to + 1 && follow(open, links)) {
      open.to = row;
    } else {
      open = { from: row, to: row, links };
      ranges.push(open);
    }
  }
  return { jobs: [...former.history.jobs, ...former.jobs], ranges };
}

function follow(open: HistoryRange, links: readonly HistoryLink[]): boolean {
  const rows = open.to + 1 - open.from;
  return (
    links.length === open.links.length &&
    links.every(({ job, start }, at) => {
      const first = open.links[at];
      return first?.job === job && first.start + rows === start;
    })
  );
}

function findRange(ranges: readonly HistoryRange[], row: number): HistoryRange | undefined {
  let low = 0;
  let high = ranges.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const range = ranges[middle];
    if (!range || row < range.from) high = middle - 1;
    else if (row > range.to) low = middle + 1;
    else return range;
  }
  return undefined;
}

/** The ranges of these rows; `end` is not included. */
export function cutRanges(
  ranges: readonly HistoryRange[],
  rows: { readonly from: number; readonly end: number },
): readonly HistoryRange[] {
  return ranges.flatMap((range) => {
    const from = Math.max(range.from, rows.from);
    const to = Math.min(range.to, rows.end - 1);
    if (from > to) return [];
    const moved = from - range.from;
    const links = range.links.map(({ job, start }) => ({ job, start: start + moved }));
    return [{ from, to, links }];
  });
}

/** A line for each range: "FROM-TO JOB:START …". */
export function formatRanges(ranges: readonly HistoryRange[]): string {
  return ranges.map(formatRange).join("\n");
}

export function formatRange({ from, to, links }: HistoryRange): string {
  return [`${from}-${to}`, ...links.map(({ job, start }) => `${job}:${start}`)].join(" ");
}

/** Lines that formatRanges does not write are skipped. */
export function parseRanges(text: string): readonly HistoryRange[] {
  return text.split("\n").flatMap((line) => {
    if (!RANGE.test(line)) return [];
    const [rows = "", ...links] = line.split(" ");
    const [from = 0, to = 0] = rows.split("-").map(Number);
    return [{ from, to, links: links.map(parseLink) }];
  });
}

const RANGE = /^\d+-\d+( \d+:\d+)*$/;

function parseLink(text: string): HistoryLink {
  const [job = 0, start = 0] = text.split(":").map(Number);
  return { job, start };
}
