/** "tally retry": runs items of a run once more, those that failed unless others are named. */
import type { Job } from "../../api/generated/batch.ts";
import { addIndex, emptyIndexes, type IndexSet } from "../../api/index-set.ts";
import { jobs } from "../../api/resources.ts";
import { dieAt } from "../../base/die-at.ts";
import { UsageError } from "../../base/usage-error.ts";
import { findObject } from "../../client/find.ts";
import { CommandFailure } from "../../command/command-failure.ts";
import type { Machine } from "../../command/machine.ts";
import { resumeRun } from "../follow/control.ts";
import { isOnCluster } from "../host/on-cluster.ts";
import { runDirectory } from "../host/run-directory.ts";
import type { RunsToRead } from "../host/runs-to-read.ts";
import {
  getJob,
  openRunsToRead,
  type RunsFlags,
  runsDirectory,
  sameFlags,
  unknownRun,
} from "../host/stored.ts";
import { chooseIndexes } from "../list/choose-items.ts";
import type { ReportFlags } from "../show/run-report.ts";
import { isContinuationOf } from "../submit/former-jobs.ts";
import { type RetryingEngine, type RetryPlan, retryRun } from "../submit/retry.ts";
import { retriedText } from "./retried-text.ts";

export interface RetryFlags extends RunsFlags, ReportFlags {
  readonly failed?: boolean;
  readonly index?: string;
  readonly item?: string;
  readonly detach?: boolean;
}

export async function retry(name: string, flags: RetryFlags, machine: Machine): Promise<void> {
  const given = [flags.failed, flags.index, flags.item].filter((each) => each !== undefined);
  if (given.length > 1) throw new UsageError("--failed, --index and --item exclude each other");
  const { plan, namespace } = await choose(name, flags, machine);
  const { size } = plan.wanted;
  if (size === 0) {
    machine.writeOut(`No item of ${name} has failed: nothing is run again.\n`);
    return;
  }
  if (isOnCluster(flags)) {
    const { retryThere } = await import("../cluster/retry-on-cluster.ts");
    return retryThere({ name, namespace, plan }, flags, machine);
  }
  const own = withDirectory(flags, machine);
  let found: string | undefined;
  const prepare = async (engine: RetryingEngine): Promise<Job> => {
    const job = await findObject(engine.client, jobs, { namespace, name });
    if (!job) throw unknownRun(name, []);
    // The engine was lost after it had stored the retry, and before it could say so.
    if (found !== undefined && isContinuationOf(job, found)) return job;
    found = job.metadata.uid;
    return retryRun(engine, job, plan);
  };
  if (flags.detach) return ask(own, machine, prepare, { name, size });
  const { conduct } = await import("./run.ts");
  const { itemNames, readStoredList } = await import("../submit/stored-items.ts");
  await conduct(
    async (engine) => {
      await prepare(engine);
      // A run that was stopped or paused continues: nobody would wait for it otherwise.
      const job = await resumeRun(engine.client, { namespace, name });
      dieAt("retry");
      return { job, itemAt: itemNames({ ...(await readStoredList(engine.client, job)) }) };
    },
    own,
    machine,
  );
}

/** Commands that are suggested name a directory only where they would not find it themselves. */
function withDirectory(flags: RetryFlags, machine: Machine): RetryFlags {
  const found = runsDirectory(flags, machine);
  return found === runDirectory(flags, machine.workingDirectory)
    ? flags
    : { ...flags, data: found };
}

async function choose(name: string, flags: RetryFlags, machine: Machine) {
  const runs = await openRunsToRead(flags, machine);
  try {
    const job = await getJob(runs, name);
    if (job.spec.completionMode !== "Indexed") {
      throw new CommandFailure(`error: ${name} has no indexes that could be run again`);
    }
    const failed = await failedIndexes(runs, name);
    const { index, item } = flags;
    const isNamed = index !== undefined || item !== undefined;
    const wanted = isNamed ? chooseIndexes(job, await runs.itemsOf(job), flags) : failed;
    const plan: RetryPlan = { wanted, failed };
    return { plan, namespace: runs.namespace };
  } finally {
    await runs.close();
  }
}

async function failedIndexes(runs: RunsToRead, jobName: string): Promise<IndexSet> {
  const failed = emptyIndexes();
  let from: string | undefined;
  do {
    const page = await runs.ledger.list(
      { namespace: runs.namespace, jobName },
      { state: "Failed", ...(from === undefined ? {} : { from }) },
    );
    for (const { index } of page.items) addIndex(failed, index);
    from = page.next;
  } while (from !== undefined);
  return failed;
}

async function ask(
  flags: RetryFlags,
  machine: Machine,
  prepare: (engine: RetryingEngine) => Promise<Job>,
  { name, size }: { readonly name: string; readonly size: number },
): Promise<void> {
  const { openRuns } = await import("../host/open-runs.ts");
  const { isLive, close, ...engine } = await openRuns(flags, machine);
  try {
    await prepare(engine);
  } finally {
    await close();
  }
  const what = retriedText(name, size);
  const next = `once it goes on: tally resume ${name}${sameFlags(flags)}`;
  machine.writeOut(isLive ? `${what}\n` : `${what}, ${next}\n`);
}
