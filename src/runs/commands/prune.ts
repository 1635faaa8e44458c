/** "tally prune": removes runs that ended long ago, and logs of runs that are gone. */
import { UsageError } from "../../base/usage-error.ts";
import { readDurationMs } from "../../command/duration-flag.ts";
import type { Machine } from "../../command/machine.ts";
import type { FilesHost } from "../host/files-host.ts";
import { openFiles } from "../host/open-host.ts";
import type { HostFlags } from "../host/run-host.ts";
import { formatCount, formatTime } from "../show/progress.ts";
import { type LogFile, type LogFiles, removeLogFiles } from "../show/remove-logs.ts";
import { type RunState, runStateOf } from "../show/run-state.ts";
import { formatBytes, type PruneRule, runsToPrune } from "./prune-rule.ts";
import { removeRuns } from "./remove-runs.ts";

export interface PruneFlags extends HostFlags {
  readonly olderThan?: string;
  readonly keep?: string;
  readonly logsOnly?: boolean;
  readonly dryRun?: boolean;
}

const DAY_MS = 24 * 3600 * 1000;
const USUAL_AGE_MS = 7 * DAY_MS;

export async function prune(
  flags: PruneFlags,
  machine: Machine,
  nowMs: number = Date.now(),
): Promise<void> {
  const rule = readRule(flags);
  const isDry = flags.dryRun === true;
  const host = await openFiles(flags, machine);
  try {
    const isLive = await host.isLive();
    const all = (await host.listRuns()).map((job) => ({ job, state: runStateOf(job, isLive) }));
    const states = all.map(({ state }) => state);
    const old = new Set(runsToPrune(states, rule, nowMs));
    const jobs = all.filter(({ state }) => old.has(state)).map(({ job }) => job);
    const beforeMs = nowMs - (rule.olderThanMs ?? USUAL_AGE_MS);
    const strays = await removeStrays(host, { beforeMs, isDry });
    if (strays.files > 0) {
      const verb = isDry ? "would remove" : "removed";
      machine.writeOut(`${verb} ${filesText(strays)} of runs that are gone\n`);
    }
    const removal = { jobs, isLogsOnly: flags.logsOnly === true, isDry };
    const removed = await removeRuns(host, removal, machine);
    for (const { name, logs } of removed) {
      const state = states.find((each) => each.name === name);
      machine.writeOut(`${sentence(name, state, logs, flags, nowMs)}\n`);
    }
    if (removed.length === 0 && strays.files === 0) machine.writeOut("Nothing is old enough.\n");
  } finally {
    await host.close();
  }
}

function readRule({ olderThan, keep }: PruneFlags): PruneRule {
  const count = keep === undefined ? undefined : readKeep(keep);
  if (olderThan !== undefined) {
    const olderThanMs = readAgeMs(olderThan);
    return { olderThanMs, ...(count === undefined ? {} : { keep: count }) };
  }
  return count === undefined ? { olderThanMs: USUAL_AGE_MS } : { keep: count };
}

function readKeep(given: string): number {
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw new UsageError(`--keep must be a number of runs, not ${JSON.stringify(given)}`);
}

/** Also takes days, which durations of Kubernetes do not have. */
function readAgeMs(given: string): number {
  const [, days] = /^(\d{1,6})d$/.exec(given) ?? [];
  return days === undefined ? readDurationMs("--older-than", given) : Number(days) * DAY_MS;
}

function sentence(
  name: string,
  state: RunState | undefined,
  logs: LogFiles,
  { dryRun, logsOnly }: PruneFlags,
  nowMs: number,
): string {
  const ended = state?.endMs === undefined ? "" : `, ended ${formatTime(nowMs - state.endMs)} ago`;
  const verb = dryRun ? "would remove" : "removed";
  if (logsOnly) return `${verb} ${filesText(logs)} of ${name}${ended}`;
  return `${verb} ${name}${ended}, with ${filesText(logs)}`;
}

function filesText({ files, bytes }: LogFiles): string {
  return `${formatCount(files)} log ${files === 1 ? "file" : "files"} (${formatBytes(bytes)})`;
}

/** Logs of runs that are gone. The name of a pod begins with the name of its Job. */
async function removeStrays(
  host: FilesHost,
  { beforeMs, isDry }: { readonly beforeMs: number; readonly isDry: boolean },
): Promise<LogFiles> {
  const { jobs, podUids } = host.logOwners();
  const isMeant = ({ namespace, podName, podUid }: LogFile) =>
    !podUids.has(podUid) &&
    !jobs.some((job) => job.namespace === namespace && podName.startsWith(`${job.name}-`));
  return removeLogFiles({ dataDir: host.dataDir, isMeant, beforeMs, isDry });
}
