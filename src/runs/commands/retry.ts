/** "tally retry": retries items of a run; by default those that failed. */
import type { Job } from "../../api/generated/batch.ts";
import { addIndex, emptyIndexes, type IndexSet } from "../../api/index-set.ts";
import { jobs } from "../../api/resources.ts";
import { dieAt } from "../../base/die-at.ts";
import { UsageError } from "../../base/usage-error.ts";
import { findObject } from "../../client/find.ts";
import { CommandFailure } from "../../command/command-failure.ts";
import type { Machine } from "../../command/machine.ts";
import { storyPages } from "../../ledger/story-pages.ts";
import { resumeRun } from "../follow/control.ts";
import type { CreatedRun } from "../follow/follow-run.ts";
import { runInForeground } from "../follow/foreground.ts";
import { findDirectory, runDirectory } from "../host/data-directory.ts";
import {
  getRun,
  openToChange,
  openToRead,
  openToRun,
  sameFlags,
  unknownRun,
} from "../host/open-host.ts";
import { type EngineHost, type HostFlags, isOnCluster, type RunHost } from "../host/run-host.ts";
import { chooseIndexes } from "../list/choose-items.ts";
import { itemNames, readStoredList } from "../list/stored-items.ts";
import type { ReportFlags } from "../show/open-reporter.ts";
import { formatCount } from "../show/progress.ts";
import { isContinuationOf } from "../submit/earlier-jobs.ts";
import { type RetryPlan, retryRun } from "../submit/retry-run.ts";

export interface RetryFlags extends HostFlags, ReportFlags {
  readonly failed?: boolean;
  readonly index?: string;
  readonly item?: string;
  readonly detach?: boolean;
}

export async function retry(name: string, flags: RetryFlags, machine: Machine): Promise<number> {
  const given = [flags.failed, flags.index, flags.item].filter((each) => each !== undefined);
  if (given.length > 1) throw new UsageError("--failed, --index and --item exclude each other");
  const plan = await choose(name, flags, machine);
  const { size } = plan.wanted;
  if (size === 0) {
    machine.writeOut(`No item of ${name} has failed: nothing is run again.\n`);
    return 0;
  }
  const own = isOnCluster(flags) ? flags : withDirectory(flags, machine);
  const submit = isOnCluster(flags) ? await clusterRetry(name, plan) : storedRetry(name, plan);
  if (flags.detach) return detach({ name, size }, submit, own, machine);
  return runInForeground(() => openToRun(own, machine), submit.andFollow, own, machine);
}

/** The ways to retry on one kind of host. */
interface Retry {
  /** Only stores the request. */
  readonly only: (host: EngineHost) => Promise<unknown>;
  readonly andFollow: (host: EngineHost) => Promise<CreatedRun>;
}

function storedRetry(name: string, plan: RetryPlan): Retry {
  let found: string | undefined;
  const only = async ({ client, ledger, namespace }: EngineHost): Promise<Job> => {
    const job = await findObject(client, jobs, { namespace, name });
    if (!job) throw unknownRun(name, []);
    // The engine was lost after it had stored the retry, and before it answered.
    if (found !== undefined && isContinuationOf(job, found)) return job;
    found = job.metadata.uid;
    return retryRun({ client, ledger }, job, plan);
  };
  const andFollow = async (host: EngineHost): Promise<CreatedRun> => {
    await only(host);
    // A run that was stopped or paused continues. Otherwise this command would wait for ever.
    const job = await resumeRun(host.client, { namespace: host.namespace, name });
    dieAt("retry");
    const stored = await readStoredList(host.client, job);
    return { job, itemAt: itemNames(stored?.list) };
  };
  return { only, andFollow };
}

/** What is needed for clusters is loaded only if one is named. */
async function clusterRetry(name: string, plan: RetryPlan): Promise<Retry> {
  const { readChain } = await import("../cluster/read-run.ts");
  const { retryOnCluster } = await import("../cluster/retry-on-cluster.ts");
  const { viewStored } = await import("../cluster/start-run.ts");
  const only = async (host: EngineHost) => {
    const chain = await readChain(host.client, { namespace: host.namespace, name });
    if (!chain) throw unknownRun(name, []);
    return retryOnCluster(host, chain, plan);
  };
  return { only, andFollow: async (host) => viewStored(host, await only(host)) };
}

/** Suggested commands name the directory only if they would not find it themselves. */
function withDirectory(flags: RetryFlags, machine: Machine): RetryFlags {
  const found = findDirectory(flags, machine);
  return found === runDirectory(flags, machine.workingDirectory)
    ? flags
    : { ...flags, data: found };
}

async function choose(name: string, flags: RetryFlags, machine: Machine): Promise<RetryPlan> {
  const host = await openToRead(flags, machine);
  try {
    const job = await getRun(host, name);
    if (job.spec.completionMode !== "Indexed") {
      throw new CommandFailure(`error: ${name} has no indexes that could be run again`);
    }
    const failed = await failedIndexes(host, name);
    const { index, item } = flags;
    const isNamed = index !== undefined || item !== undefined;
    const wanted = isNamed ? chooseIndexes(job, await host.items(job), flags) : failed;
    return { wanted, failed };
  } finally {
    await host.close();
  }
}

async function failedIndexes({ ledger, namespace }: RunHost, jobName: string): Promise<IndexSet> {
  const failed = emptyIndexes();
  for await (const stories of storyPages(ledger, { namespace, jobName }, { state: "Failed" })) {
    for (const { index } of stories) addIndex(failed, index);
  }
  return failed;
}

/** Leaves the items to the engine that runs, or to the next one. */
async function detach(
  { name, size }: { readonly name: string; readonly size: number },
  { only }: Retry,
  flags: RetryFlags,
  machine: Machine,
): Promise<number> {
  const host = await openToChange(flags, machine);
  const isLive = await host.isLive();
  try {
    await only(host);
  } finally {
    await host.close();
  }
  const what = `${formatCount(size)} ${size === 1 ? "item" : "items"} of ${name} to be run again`;
  const next = `, once it goes on: tally resume ${name}${sameFlags(flags)}`;
  machine.writeOut(`${what}${isLive ? "" : next}\n`);
  return 0;
}
