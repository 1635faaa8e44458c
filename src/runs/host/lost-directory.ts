/**
 * Ends a command whose data directory was deleted, renamed or unmounted. Nothing could be recorded
 * from then on, and processes of items could not open their logs.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { OpenedDirectory } from "../../base/opened-directory.ts";
import type { Machine } from "../../command/machine.ts";
import { BROKEN_OFF } from "../show/summary.ts";

const LOOK_MS = 500;

/** Until the returned function is called. */
export function endIfLost(
  dataDir: string,
  { writeError, exit }: Pick<Machine, "writeError" | "exit">,
): () => void {
  // The directory itself may survive its deletion if files are created in it at the same time.
  const paths = [dataDir, join(dataDir, "agent")].filter((path) => existsSync(path));
  const directories = paths.map((path) => new OpenedDirectory(path));
  const look = () => {
    if (!directories.some(({ isGone }) => isGone)) return;
    writeError(`tally: the data directory ${dataDir} is gone: the run cannot go on\n`);
    exit(BROKEN_OFF);
  };
  const timer = setInterval(look, LOOK_MS).unref();
  // If another part fails first because the directory is gone, report that and not its error.
  process.on("uncaughtExceptionMonitor", look);
  return () => {
    clearInterval(timer);
    process.off("uncaughtExceptionMonitor", look);
    look();
    for (const directory of directories) directory.close();
  };
}
