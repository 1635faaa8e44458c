/**
 * Ends a command whose data directory was deleted, renamed or unmounted: nothing that it does from
 * then on would be on record, and its tasks could not even open their logs.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { OpenedDirectory } from "../../base/opened-directory.ts";
import type { Machine } from "../../command/machine.ts";
import { BROKEN_OFF } from "../show/summary.ts";

const LOOK_MS = 500;

/** Until the answer is called. */
export function endIfLost(
  dataDir: string,
  { writeError, exit }: Pick<Machine, "writeError" | "exit">,
): () => void {
  // A deletion that meets new files may leave the directory itself.
  const paths = [dataDir, join(dataDir, "agent")].filter((path) => existsSync(path));
  const directories = paths.map((path) => new OpenedDirectory(path));
  const look = () => {
    if (!directories.some(({ isGone }) => isGone)) return;
    writeError(`tally: the data directory ${dataDir} is gone: the run cannot go on\n`);
    exit(BROKEN_OFF);
  };
  const timer = setInterval(look, LOOK_MS).unref();
  // Some part may find out first: its error is no news then.
  process.on("uncaughtExceptionMonitor", look);
  return () => {
    clearInterval(timer);
    process.off("uncaughtExceptionMonitor", look);
    look();
    for (const directory of directories) directory.close();
  };
}
