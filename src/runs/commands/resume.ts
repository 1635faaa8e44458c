/** "tally resume": continues a run that was paused, stopped or killed. */
import type { Job } from "../../api/generated/batch.ts";
import { isFinished } from "../../api/job-conditions.ts";
import { CommandFailure } from "../../command/command-failure.ts";
import type { Machine } from "../../command/machine.ts";
import { readParallelism } from "../compose/run-flags.ts";
import { resumeRun } from "../follow/control.ts";
import type { CreatedRun } from "../follow/follow-run.ts";
import { runInForeground } from "../follow/foreground.ts";
import { hasRuns, runDirectory } from "../host/data-directory.ts";
import { openToRun } from "../host/open-host.ts";
import { type EngineHost, isOnCluster } from "../host/run-host.ts";
import { itemNames, readStoredList } from "../list/stored-items.ts";
import type { ReportFlags } from "../show/open-reporter.ts";

export type ResumeFlags = ReportFlags & { readonly jobs?: string };

export async function resume(name: string, flags: ResumeFlags, machine: Machine): Promise<number> {
  const dataDir = runDirectory(flags, machine.workingDirectory);
  if (!isOnCluster(flags) && !hasRuns(dataDir)) {
    throw new CommandFailure(`there are no runs in ${dataDir}`);
  }
  const parallelism =
    flags.jobs === undefined ? undefined : readParallelism(flags, machine.processors);
  let found: Job | undefined;
  const create = async (host: EngineHost): Promise<CreatedRun | undefined> => {
    // Only the first time: the run may finish while this command looks for another engine.
    found ??= await host.findRun(name);
    if (!found) throw new CommandFailure(`there is no run ${name}`);
    if (isFinished(found)) {
      // Not an error: a script that resumes after a crash may find a run that was finished.
      machine.writeError(`${finishedText(found)}\n`);
      return undefined;
    }
    return resumeFound(host, found, parallelism);
  };
  return runInForeground(() => openToRun(flags, machine), create, flags, machine);
}

function finishedText({ metadata: { name }, status }: Job): string {
  const failed = status.failedIndexes ? `; run what failed with: tally retry ${name}` : "";
  return `the run ${name} is finished: there is nothing to resume${failed}`;
}

async function resumeFound(
  host: EngineHost,
  found: Job,
  parallelism: number | undefined,
): Promise<CreatedRun | undefined> {
  const place = { namespace: host.namespace, name: found.metadata.name ?? "" };
  if (host.kind === "cluster") {
    const { resumeOnCluster } = await import("../cluster/start-run.ts");
    return resumeOnCluster(host, place, parallelism);
  }
  const job = await resumeRun(host.client, place, parallelism);
  const stored = await readStoredList(host.client, job);
  return { job, former: found, itemAt: itemNames(stored?.list) };
}
