/** Reads what a `tally run` is asked for: its words, its flags and the files that they name. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { UNKNOWN_EXIT } from "../../api/exit-unknown.ts";
import { PODS_AHEAD } from "../../api/pods-ahead.ts";
import { BACKOFF_ORDER, SURPLUS_PODS } from "../../api/work-list/names.ts";
import { itemCount } from "../../api/work-list/work-list.ts";
import { systemRandom } from "../../base/random.ts";
import { UsageError } from "../../base/usage-error.ts";
import type { Machine } from "../../command/machine.ts";
import { composeRun } from "./compose-run.ts";
import type { RequestedRun } from "./requested-run.ts";
import { type RunCommandFlags, type RunWords, readRun } from "./run-flags.ts";

/** Every Job of `tally run` has these; there are no flags for them. */
const RUN_ANNOTATIONS = {
  [SURPLUS_PODS]: "finish",
  [PODS_AHEAD]: "64",
  [BACKOFF_ORDER]: "overtake",
};
/** Pods created ahead would still start after the failure that ends the run. */
const NONE_AHEAD = { [PODS_AHEAD]: "0" };
const RUN_POD_ANNOTATIONS = { "tallyjob.io/split-output": "true", [UNKNOWN_EXIT]: "rerun" };

/** Undefined for an empty list. Throws a UsageError for a request that cannot be run. */
export async function readRequest(
  words: RunWords,
  flags: RunCommandFlags,
  machine: Machine,
): Promise<RequestedRun | undefined> {
  if (flags.filename !== undefined) {
    const { readJobManifest } = await import("./run-manifest.ts");
    return readJobManifest(words, flags, machine);
  }
  const { request, notices } = await readRun(words, flags, {
    workingDirectory: machine.workingDirectory,
    environment: machine.environment,
    cores: machine.processors,
    random: systemRandom,
    readBytes: (file) =>
      file === "-" ? machine.readInputBytes() : readFile(resolve(machine.workingDirectory, file)),
  });
  if (request.list && itemCount(request.list) === 0) return undefined;
  if (flags.resume && words.name === undefined) {
    throw new UsageError("--resume needs the NAME of the run to go on with");
  }
  const annotations = {
    ...RUN_ANNOTATIONS,
    ...(request.failure?.halt === "soon" ? NONE_AHEAD : {}),
  };
  const whole = { ...request, annotations, podAnnotations: RUN_POD_ANNOTATIONS };
  const composed = composeRun(whole);
  return { ...composed, notices: [...notices, ...composed.notices], request: whole };
}

/** As with other programs that read lists, an empty one is not an error. */
export function reportEmptyList({ writeError }: Pick<Machine, "writeError">): number {
  writeError("tally run: the list is empty: there is nothing to do\n");
  return 0;
}
