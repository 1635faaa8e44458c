/** The runs of a data directory of this machine. */
import { relative } from "node:path";
import type { Machine } from "../../command/machine.ts";
import { fileLogs, taskFiles } from "../show/task-files.ts";
import { shellWord } from "../show/words.ts";
import { endIfLost } from "./lost-directory.ts";
import { reachEngine } from "./reach-engine.ts";
import { type DataFlags, runDirectory } from "./run-directory.ts";
import { reachingRunEngine } from "./run-engine.ts";
import type { RunPlace } from "./run-place.ts";

export async function localPlace(flags: DataFlags, machine: Machine): Promise<RunPlace> {
  const { workingDirectory } = machine;
  const dataDir = runDirectory(flags, workingDirectory);
  const reaching = await reachingRunEngine(dataDir);
  const stopLooking = endIfLost(dataDir, machine);
  return {
    reach: () => reachEngine(reaching),
    logs: fileLogs(dataDir),
    flags: flags.data === undefined ? "" : ` --data ${shellWord(flags.data)}`,
    logOf: (_, attempt) => {
      const file = taskFiles(dataDir, attempt)[0]?.out ?? dataDir;
      const near = relative(workingDirectory, file);
      return shellWord(near.startsWith("..") ? file : near);
    },
    close: stopLooking,
  };
}
