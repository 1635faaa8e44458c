/** The data directories in which runs are stored. */
import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { ensureOwnDirectory } from "../../base/own-directory.ts";
import { dataPath } from "../../command/data-path.ts";
import type { Machine } from "../../command/machine.ts";

export interface DataFlags {
  /** --data */
  readonly data?: string;
}

/** In the working directory, unless --data names another one. */
const RUN_DIRECTORY = ".tally";

export function runDirectory({ data }: DataFlags, workingDirectory: string): string {
  return resolve(workingDirectory, data ?? RUN_DIRECTORY);
}

/**
 * Whether there is anything to open: only `tally run` creates a data directory. Throws if the
 * directory belongs to another user.
 */
export function hasRuns(dataDir: string): boolean {
  return ensureOwnDirectory(dataDir) && existsSync(join(dataDir, "store"));
}

/** The directory that --data names, else that of the runs here, else that of `tally up`. */
export function findDirectory(flags: DataFlags, machine: Machine): string {
  const own = runDirectory(flags, machine.workingDirectory);
  if (flags.data !== undefined || hasRuns(own)) return own;
  const ofServer = dataPath(undefined, machine);
  return hasRuns(ofServer) ? ofServer : own;
}

/** A path as it would be typed in the working directory. */
export function shownPath(path: string, workingDirectory: string): string {
  const near = relative(workingDirectory, path);
  return near.startsWith("..") ? path : near;
}
