/** "tally resume": goes on with a run that was paused, stopped or killed. */
import type { Job } from "../api/generated/batch.ts";
import { jobs as jobType } from "../api/resources.ts";
import { findObject } from "../client/find.ts";
import { resumeRun } from "../run/control.ts";
import { isFinished } from "../run/prepare.ts";
import type { ReachedEngine } from "../run/reached-engine.ts";
import { hasRuns, runDirectory } from "../run/run-directory.ts";
import { itemNames, readStoredList } from "../run/stored-items.ts";
import { CommandFailure } from "./command-failure.ts";
import type { Machine } from "./machine.ts";
import { conduct } from "./run.ts";
import { readParallelism } from "./run-flags.ts";
import type { ReportFlags } from "./run-report.ts";

const NAMESPACE = "default";

export type ResumeFlags = ReportFlags & { readonly jobs?: string };

export async function resume(name: string, flags: ResumeFlags, machine: Machine): Promise<void> {
  const dataDir = runDirectory(flags, machine.workingDirectory);
  if (!hasRuns(dataDir)) throw new CommandFailure(`there are no runs in ${dataDir}`);
  await conduct(
    async (engine) => {
      await getUnfinished(engine, name);
      const parallelism =
        flags.jobs === undefined ? undefined : readParallelism(flags, machine.processors);
      const job = await resumeRun(engine.client, { namespace: NAMESPACE, name }, parallelism);
      return { job, itemAt: itemNames({ list: await readStoredList(engine.client, job) }) };
    },
    flags,
    machine,
  );
}

async function getUnfinished({ client }: ReachedEngine, name: string): Promise<Job> {
  const job = await findObject(client, jobType, { namespace: NAMESPACE, name });
  if (!job) throw new CommandFailure(`there is no run ${name}`);
  if (!isFinished(job)) return job;
  const failed = job.status.failedIndexes ? `; run what failed with: tally retry ${name}` : "";
  throw new CommandFailure(`the run ${name} is finished${failed}`);
}
