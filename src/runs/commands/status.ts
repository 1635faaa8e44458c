/** "tally status": shows the progress of runs, and their failures. */
import type { Job } from "../../api/generated/batch.ts";
import { isFinished, wasCutShort } from "../../api/job-conditions.ts";
import { UsageError } from "../../base/usage-error.ts";
import type { Machine } from "../../command/machine.ts";
import { storyPages } from "../../ledger/story-pages.ts";
import { getRun, openToRead, printRemarks, sameFlags } from "../host/open-host.ts";
import type { HostFlags, RunHost } from "../host/run-host.ts";
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

export interface StatusFlags extends HostFlags {
  readonly output?: string;
}

/** How many failures are shown: as many as fit a screen, and more in JSON. */
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
  const host = await openToRead(flags, machine);
  try {
    const isLive = await host.isLive();
    const chosen =
      name === undefined ? await currentRuns(host, isLive) : [await getRun(host, name)];
    for (const job of chosen) await printRemarks(host, job, machine);
    const most = output === "json" ? FAILURES_IN_JSON : SHOWN_FAILURES;
    const all: RunStatus[] = [];
    for (const job of chosen) all.push(await statusOf(host, job, { isLive, most, nowMs, machine }));
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
    await host.close();
  }
}

/** Without a name: the unfinished runs, or else the latest one. */
async function currentRuns(host: RunHost, isLive: boolean): Promise<readonly Job[]> {
  const all = await host.listRuns();
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

async function statusOf(host: RunHost, job: Job, looking: Looking): Promise<RunStatus> {
  const { isLive, most, nowMs, machine } = looking;
  const state = runStateOf(job, isLive);
  if (job.spec.completionMode !== "Indexed") {
    return { state, failures: [], waiting: 0, nowMs };
  }
  const hasMore = wasCutShort(job);
  const hasFailures = hasMore || state.failed > 0;
  const found = hasFailures
    ? await findFailures(host, job, { most, counts: hasMore })
    : { results: [], count: 0 };
  const failures = found.results.map((result): ShownFailure => {
    return { result, log: result.last && shownLog(host, job, result.last, machine) };
  });
  const waiting = isFinished(job) ? 0 : await countItems(host, job, "BackingOff");
  const failed = hasMore ? found.count : state.failed;
  return { state: { ...state, failed }, failures, waiting, nowMs };
}

async function findFailures(
  host: RunHost,
  job: Job,
  { most, counts }: { readonly most: number; readonly counts: boolean },
) {
  const items = await host.items(job);
  const place = { namespace: host.namespace, jobName: job.metadata.name ?? "" };
  const query = { state: "Failed", ...(counts ? {} : { limit: most }) } as const;
  const results = [];
  let count = 0;
  for await (const stories of storyPages(host.ledger, place, query)) {
    count += stories.length;
    for (const story of stories.slice(0, Math.max(0, most - results.length))) {
      results.push(resultOf(story, items.nameAt(story.index)));
    }
    if (!counts && results.length >= most) break;
  }
  return { results, count };
}

function attemptsOf(job: Job | undefined): number | undefined {
  const limit = job?.spec.backoffLimitPerIndex;
  return limit === undefined ? undefined : limit + 1;
}
