/** "tally status": how a run stands, and what failed. */

import type { Job } from "../../api/generated/batch.ts";
import { isFinished, wasCutShort } from "../../api/job-conditions.ts";
import { UsageError } from "../../base/usage-error.ts";
import type { Machine } from "../../command/machine.ts";
import type { RunsToRead } from "../host/runs-to-read.ts";
import { getJob, openRunsToRead, type RunsFlags, sameFlags, tellRemarks } from "../host/stored.ts";
import { countItems } from "../show/count-items.ts";
import { resultOf } from "../show/item-result.ts";
import { byAge } from "../show/list-table.ts";
import { shownLog } from "../show/log-files.ts";
import { type RunState, runStateOf } from "../show/run-state.ts";
import {
  type RunStatus,
  type ShownFailure,
  statusLines,
  statusObject,
} from "../show/status-text.ts";

export interface StatusFlags extends RunsFlags {
  readonly output?: string;
}

/** As many failures as fit a screen; an object has room for more. */
const SHOWN_FAILURES = 10;
const FAILURES_IN_JSON = 1000;

export async function status(
  name: string | undefined,
  flags: StatusFlags,
  machine: Machine,
  nowMs: number = Date.now(),
): Promise<void> {
  const { output = "" } = flags;
  if (output !== "" && output !== "json") {
    throw new UsageError(`--output must be json, not ${JSON.stringify(output)}`);
  }
  const runs = await openRunsToRead(flags, machine);
  try {
    const isLive = await runs.isLive();
    const chosen =
      name === undefined ? await currentRuns(runs, isLive) : [await getJob(runs, name)];
    for (const job of chosen) await tellRemarks(runs, job, machine);
    const most = output === "json" ? FAILURES_IN_JSON : SHOWN_FAILURES;
    const all: RunStatus[] = [];
    for (const job of chosen) all.push(await statusOf(runs, job, { isLive, most, nowMs, machine }));
    if (output === "json") {
      const objects = all.map(statusObject);
      machine.writeOut(`${JSON.stringify(name === undefined ? objects : objects[0], null, 2)}\n`);
      return;
    }
    const columns = machine.hasOutReader ? machine.terminalSize()[0] : Number.POSITIVE_INFINITY;
    const flagsText = sameFlags(flags);
    all.forEach((each, at) => {
      const words = { columns, flags: flagsText, attempts: attemptsOf(chosen[at]) };
      machine.writeOut(`${statusLines(each, words).join("\n")}\n`);
    });
    if (all.length === 0) machine.writeOut("There are no runs.\n");
  } finally {
    await runs.close();
  }
}

/** Without a name: what is not finished, or else what was begun last. */
async function currentRuns(runs: RunsToRead, isLive: boolean): Promise<readonly Job[]> {
  const all = await runs.listJobs();
  const open = all.filter((job) => !isFinished(job));
  if (open.length > 0) return open;
  const states = new Map<RunState, Job>(all.map((job) => [runStateOf(job, isLive), job]));
  const [latest] = [...states.keys()].sort(byAge);
  const job = latest && states.get(latest);
  return job ? [job] : [];
}

interface Looking {
  readonly isLive: boolean;
  readonly most: number;
  readonly nowMs: number;
  readonly machine: Machine;
}

async function statusOf(runs: RunsToRead, job: Job, looking: Looking): Promise<RunStatus> {
  const { isLive, most, nowMs, machine } = looking;
  const state = runStateOf(job, isLive);
  if (job.spec.completionMode !== "Indexed") {
    return { state, failures: [], waiting: 0, nowMs };
  }
  const hasMore = wasCutShort(job);
  const hasFailures = hasMore || state.failed > 0;
  const found = hasFailures
    ? await findFailures(runs, job, { most, counts: hasMore })
    : { results: [], count: 0 };
  const failures = found.results.map((result): ShownFailure => {
    return { result, log: result.last && shownLog(runs, job, result.last, machine) };
  });
  const waiting = isFinished(job) ? 0 : await countItems(runs, job, "BackingOff");
  const failed = hasMore ? found.count : state.failed;
  return { state: { ...state, failed }, failures, waiting, nowMs };
}

async function findFailures(
  runs: RunsToRead,
  job: Job,
  { most, counts }: { readonly most: number; readonly counts: boolean },
) {
  const items = await runs.itemsOf(job);
  const place = { namespace: runs.namespace, jobName: job.metadata.name ?? "" };
  const results = [];
  let count = 0;
  let from: string | undefined;
  do {
    const more = from === undefined ? {} : { from };
    const limit = counts ? {} : { limit: most };
    const page = await runs.ledger.list(place, { state: "Failed", ...limit, ...more });
    count += page.items.length;
    for (const story of page.items.slice(0, Math.max(0, most - results.length))) {
      results.push(resultOf(story, items.nameAt(story.index)));
    }
    from = page.next;
  } while (from !== undefined && (counts || results.length < most));
  return { results, count };
}

function attemptsOf(job: Job | undefined): number | undefined {
  const limit = job?.spec.backoffLimitPerIndex;
  return limit === undefined ? undefined : limit + 1;
}
