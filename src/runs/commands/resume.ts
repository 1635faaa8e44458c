/** "tally resume": goes on with a run that was paused, stopped or killed. */
import type { Name } from "../../api/client.ts";
import type { Job } from "../../api/generated/batch.ts";
import { isFinished } from "../../api/job-conditions.ts";
import { jobs as jobType } from "../../api/resources.ts";
import { findObject } from "../../client/find.ts";
import { CommandFailure } from "../../command/command-failure.ts";
import type { Machine } from "../../command/machine.ts";
import { readParallelism } from "../compose/run-flags.ts";
import { resumeRun } from "../follow/control.ts";
import { isOnCluster } from "../host/on-cluster.ts";
import type { ReachedEngine } from "../host/reached-engine.ts";
import { hasRuns, runDirectory } from "../host/run-directory.ts";
import type { ReportFlags } from "../show/run-report.ts";
import { itemNames, readStoredList } from "../submit/stored-items.ts";
import { conduct } from "./run.ts";

export type ResumeFlags = ReportFlags & { readonly jobs?: string };

export async function resume(name: string, flags: ResumeFlags, machine: Machine): Promise<void> {
  if (isOnCluster(flags)) return resumeThere(name, flags, machine);
  const dataDir = runDirectory(flags, machine.workingDirectory);
  const { namespace = "default" } = flags;
  if (!hasRuns(dataDir)) throw new CommandFailure(`there are no runs in ${dataDir}`);
  let former: Job | undefined;
  await conduct(
    async (engine) => {
      // Only the first time: the run may finish while this command looks for another engine.
      former ??= await getUnfinished(engine, { namespace, name });
      const parallelism =
        flags.jobs === undefined ? undefined : readParallelism(flags, machine.processors);
      const job = await resumeRun(engine.client, { namespace, name }, parallelism);
      const itemAt = itemNames({ ...(await readStoredList(engine.client, job)) });
      return { job, former, itemAt };
    },
    flags,
    machine,
  );
}

/** On a cluster. */
async function resumeThere(name: string, flags: ResumeFlags, machine: Machine): Promise<void> {
  const { resumeStored } = await import("../cluster/start-run.ts");
  const { findCluster } = await import("../cluster/cluster-access.ts");
  const { namespace } = await findCluster(flags, machine);
  const wanted = flags.jobs === undefined ? undefined : readParallelism(flags, machine.processors);
  await conduct(
    async (engine) => {
      const resumed = await resumeStored(engine, { namespace, name }, wanted);
      if (!resumed) throw new CommandFailure(`there is no run ${name}`);
      endIfFinished(resumed.job);
      return resumed;
    },
    flags,
    machine,
  );
}

async function getUnfinished({ client }: ReachedEngine, place: Name): Promise<Job> {
  const job = await findObject(client, jobType, place);
  if (!job) throw new CommandFailure(`there is no run ${place.name}`);
  endIfFinished(job);
  return job;
}

function endIfFinished(job: Job): void {
  if (!isFinished(job)) return;
  const { name } = job.metadata;
  const failed = job.status.failedIndexes ? `; run what failed with: tally retry ${name}` : "";
  const text = `the run ${name} is finished: there is nothing to resume${failed}`;
  // The command has found what it was to bring about, as a script that resumes after a crash needs.
  throw new CommandFailure(text, 0);
}
