/** The runs that a command is about: which data directory is meant, and which run in it. */
import { relative } from "node:path";
import type { Job } from "../../api/generated/batch.ts";
import { CommandFailure } from "../../command/command-failure.ts";
import { dataPath } from "../../command/data-path.ts";
import type { Machine } from "../../command/machine.ts";
import { suggestion } from "../list/near-words.ts";
import { shellWord } from "../show/words.ts";
import { isOnCluster, type PlaceFlags } from "./on-cluster.ts";
import { hasRuns, runDirectory } from "./run-directory.ts";
import type { RunsToRead } from "./runs-to-read.ts";
import type { StoredRuns } from "./stored-runs.ts";

/** Of every command that looks at runs. */
export type RunsFlags = PlaceFlags;

/** The directory that is named, else that of runs here, else that of `tally up`. */
export function runsDirectory(flags: RunsFlags, machine: Machine): string {
  const own = runDirectory(flags, machine.workingDirectory);
  if (flags.data !== undefined || hasRuns(own)) return own;
  const ofServer = dataPath(undefined, machine);
  return hasRuns(ofServer) ? ofServer : own;
}

/** Those of a cluster, where one is named. */
export async function openRunsToRead(flags: RunsFlags, machine: Machine): Promise<RunsToRead> {
  if (!isOnCluster(flags)) return openRunsOnDisk(flags, machine);
  const { openClusterRuns } = await import("../cluster/cluster-runs.ts");
  return openClusterRuns(flags, machine);
}

export async function openRunsOnDisk(flags: RunsFlags, machine: Machine): Promise<StoredRuns> {
  const dataDir = runsDirectory(flags, machine);
  const { openStoredRuns } = await import("./stored-runs.ts");
  const runs = await openStoredRuns(dataDir, flags.namespace ?? "default");
  if (!runs) throw new CommandFailure(`error: ${noRuns(dataDir, machine)}`);
  return runs;
}

function noRuns(dataDir: string, { workingDirectory }: Machine): string {
  const path = relative(workingDirectory, dataDir) || ".";
  const shown = path.startsWith("..") ? dataDir : path;
  return `there are no runs in ${shown} (start one with "tally run")`;
}

export async function getJob(runs: RunsToRead, name: string): Promise<Job> {
  const job = await runs.findJob(name);
  if (job) return job;
  const known = await runs.listJobs();
  throw unknownRun(
    name,
    known.map(({ metadata }) => metadata.name ?? ""),
  );
}

const MOST_NAMED = 10;

export function unknownRun(name: string, known: readonly string[]): CommandFailure {
  const hint = suggestion(name, known);
  const all =
    known.length > MOST_NAMED ? `${known.slice(0, MOST_NAMED).join(", ")}, …` : known.join(", ");
  const others = known.length === 0 ? "there are none" : `there are: ${all}`;
  return new CommandFailure(
    `error: there is no run ${JSON.stringify(name)}${hint === "" ? `; ${others}` : hint}`,
  );
}

/** What has to be typed for another command to find the same run. */
export function sameFlags({ data, kubeconfig, context, namespace }: RunsFlags): string {
  const given = { "--data": data, "--kubeconfig": kubeconfig, "--context": context };
  const all = Object.entries({ ...given, "-n": namespace });
  const typed = all.flatMap(([flag, value]) =>
    value === undefined ? [] : [` ${flag} ${shellWord(value)}`],
  );
  return typed.join("");
}

/** Apart from what is shown: a program may read that. */
export async function tellRemarks(runs: RunsToRead, job: Job, machine: Machine): Promise<void> {
  for (const remark of await runs.remarksOn(job)) machine.writeError(`tally: ${remark}\n`);
}
