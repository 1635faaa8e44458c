/**
 * Room in the database file before a transaction needs it. lmdb must not be the one to find a disk
 * full: it formats the message of a failed write into a buffer that is too short, which can end the
 * process. A file that need not grow is also synced faster.
 */
import { open } from "node:fs/promises";

/** What lmdb tells about its pages. */
export interface PageStats {
  readonly pageSize: number;
  readonly lastPageNumber: number;
  readonly root: TreeStats;
  readonly free: TreeStats;
}

interface TreeStats {
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

export interface PageChange {
  readonly putSizes: readonly number[];
  readonly deletes: number;
  /** Whether it is done to get rid of something. */
  readonly makesRoom: boolean;
}

/** How long the file must be for a transaction that puts values of these sizes. */
export function fileSizeNeeded(stats: PageStats, change: PageChange): number {
  const { pageSize, lastPageNumber } = stats;
  const inUse = META_PAGES + pagesOf(stats.root) + pagesOf(stats.free);
  const unused = Math.max(0, lastPageNumber + 1 - inUse);
  // Every changed entry may copy a leaf and split it; what lies above is shared by many.
  let pages = PATH_PAGES + change.deletes + (change.makesRoom ? 0 : KEPT_PAGES);
  for (const size of change.putSizes) pages += 2 + Math.ceil(size / pageSize);
  // Some of the unused pages are too scattered for large values, or not yet to be used again.
  const missing = Math.max(0, pages - Math.floor(unused / 2));
  return (lastPageNumber + 1 + missing) * pageSize;
}

const META_PAGES = 2;
const PATH_PAGES = 16;
/** Left to those that make room: a disk that is full must not be too full for them. */
const KEPT_PAGES = 128;

function pagesOf(tree: TreeStats): number {
  return tree.treeBranchPageCount + tree.treeLeafPageCount + tree.overflowPages;
}

/** Makes the file longer, by more than asked for if there is room. Returns its new length. */
export async function extendFile(path: string, needed: number): Promise<number> {
  const spare = Math.min(Math.max(needed / 8, SMALLEST_STEP), LARGEST_STEP);
  const generous = Math.ceil((needed + spare) / SMALLEST_STEP) * SMALLEST_STEP;
  try {
    return await fillUpTo(path, generous);
  } catch {
    return fillUpTo(path, needed);
  }
}

const SMALLEST_STEP = 1024 * 1024;
const LARGEST_STEP = 16 * SMALLEST_STEP;
const ZEROS = Buffer.alloc(256 * 1024);

/**
 * With real zeros: a hole would still have to find its room later. Only ever behind the end of the
 * file, which may be further than expected: everything before it is the database's.
 */
async function fillUpTo(path: string, target: number): Promise<number> {
  const file = await open(path, "r+");
  try {
    const { size: end } = await file.stat();
    try {
      for (let at = end; at < target; ) {
        const size = Math.min(ZEROS.length, target - at);
        at += (await file.write(ZEROS, 0, size, at)).bytesWritten;
      }
    } catch (error) {
      // What little it got is of more use to others.
      await file.truncate(end);
      throw error;
    }
    return Math.max(end, target);
  } finally {
    await file.close();
  }
}
