/**
 * Extends the database file before a transaction needs the space. lmdb itself must never find the
 * disk full: it formats the error message of a failed write into a buffer that is too short, which
 * can crash the process. Syncing is also faster if the file does not grow.
 */
import { open } from "node:fs/promises";

/** The page statistics that lmdb reports. */
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
  /** True if the change only deletes. It may then use the reserved pages. */
  readonly makesRoom: boolean;
}

/** The file size in bytes that a transaction needs if it puts values of these sizes. */
export function fileSizeNeeded(stats: PageStats, change: PageChange): number {
  const { pageSize, lastPageNumber } = stats;
  const inUse = META_PAGES + pagesOf(stats.root) + pagesOf(stats.free);
  const unused = Math.max(0, lastPageNumber + 1 - inUse);
  // Every changed entry may copy a leaf and split it. The branch pages above are shared by many.
  let pages = PATH_PAGES + change.deletes + (change.makesRoom ? 0 : KEPT_PAGES);
  for (const size of change.putSizes) pages += 2 + Math.ceil(size / pageSize);
  // Not all unused pages are usable: some are too scattered for large values, and some cannot be
  // reused yet because a reader may still see them.
  const missing = Math.max(0, pages - Math.floor(unused / 2));
  return (lastPageNumber + 1 + missing) * pageSize;
}

const META_PAGES = 2;
const PATH_PAGES = 16;
/** Reserved for deletions: on a full disk it must still be possible to delete objects. */
const KEPT_PAGES = 128;

function pagesOf(tree: TreeStats): number {
  return tree.treeBranchPageCount + tree.treeLeafPageCount + tree.overflowPages;
}

/** Extends the file, by more than `needed` if the disk has room. Returns the new file size. */
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
 * Writes real zeros, because a sparse hole does not reserve disk space. Writes only behind the
 * current end of the file, which may be further than expected: all bytes before it belong to the
 * database.
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
      // Give the partial extension back: it is too small to help, and other programs can use it.
      await file.truncate(end);
      throw error;
    }
    return Math.max(end, target);
  } finally {
    await file.close();
  }
}
