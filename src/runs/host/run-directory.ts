/** Where runs are kept. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { ensureOwnDirectory } from "../../base/own-directory.ts";

export interface DataFlags {
  /** --data */
  readonly data?: string;
}

/** Where a run keeps its data unless --data says otherwise: in the directory of its user. */
const RUN_DIRECTORY = ".tally";

export function runDirectory({ data }: DataFlags, workingDirectory: string): string {
  return resolve(workingDirectory, data ?? RUN_DIRECTORY);
}

/**
 * Whether there is anything to open: no command but `tally run` makes a data directory. Throws if
 * the directory is another user's.
 */
export function hasRuns(dataDir: string): boolean {
  return ensureOwnDirectory(dataDir) && existsSync(join(dataDir, "store"));
}
