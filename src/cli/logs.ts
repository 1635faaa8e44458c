/**
 * "tally logs": what containers print. Reading order: this file, logs/choose-pods (whose logs are
 * meant), logs/choose-containers, logs/stream-logs (fetching them).
 */

import { UsageError } from "../base/usage-error.ts";
import { CommandFailure } from "../command/command-failure.ts";
import { readDurationMs } from "../command/duration-flag.ts";
import type { Machine } from "../command/machine.ts";
import { hasRuns, runDirectory } from "../runs/host/data-directory.ts";
import { findStoredRun } from "../runs/host/open-host.ts";
import { type FoundRun, isOnCluster } from "../runs/host/run-host.ts";
import { showRunLogs } from "../runs/show/run-logs.ts";
import { type ClusterFlags, openCluster } from "./cluster/cluster.ts";
import { chooseContainers } from "./logs/choose-containers.ts";
import { choosePods } from "./logs/choose-pods.ts";
import { type LogSettings, type LogSource, streamLogs } from "./logs/stream-logs.ts";

export interface LogsFlags extends ClusterFlags {
  readonly follow?: boolean;
  readonly previous?: boolean;
  readonly container?: string;
  readonly allContainers?: boolean;
  readonly allPods?: boolean;
  readonly selector?: string;
  readonly tail?: string;
  readonly since?: string;
  readonly sinceTime?: string;
  readonly timestamps?: boolean;
  readonly limitBytes?: string;
  readonly prefix?: boolean;
  readonly maxLogRequests: string;
  readonly ignoreErrors?: boolean;
  readonly podRunningTimeout: string;
  /** Of the items of a run. */
  readonly index?: string;
  readonly item?: string;
  readonly failed?: boolean;
  readonly attempt?: string;
}

export interface LogsArguments {
  readonly target: string | undefined;
  readonly container: string | undefined;
}

export async function logs(
  { target, container: second }: LogsArguments,
  flags: LogsFlags,
  machine: Machine,
): Promise<void> {
  const settings = readSettings(flags);
  if (await showLogsOfRun({ target, container: second }, flags, machine)) return;
  const container = readContainer(second, flags);
  if ((target === undefined) === (flags.selector === undefined)) {
    throw new UsageError("say whose: a NAME, TYPE/NAME or --selector, and only one of them");
  }
  const cluster = await openCluster(flags, machine);
  try {
    const chosen = await choosePods(cluster, target, {
      selector: flags.selector,
      all: flags.allPods === true,
      timeoutMs: readDurationMs("--pod-running-timeout", flags.podRunningTimeout),
    });
    for (const note of chosen.notes) machine.writeError(`${note}\n`);
    const sources = chosen.pods.flatMap((pod): readonly LogSource[] => {
      const { names, note } = chooseContainers(pod, container, flags.allContainers === true);
      if (note !== undefined) machine.writeError(`${note}\n`);
      return names.map((name) => ({ pod, container: name }));
    });
    refuseTooMany(sources.length, settings);
    await streamLogs(cluster, sources, settings, machine);
  } finally {
    cluster.close();
  }
}

/** Whether a run is meant, which its data directory tells: then its output has been shown. */
async function showLogsOfRun(
  { target, container: word }: LogsArguments,
  flags: LogsFlags,
  machine: Machine,
): Promise<boolean> {
  if (target === undefined || target.includes("/") || flags.selector !== undefined) return false;
  const isOfItem = [word, flags.index, flags.item, flags.failed, flags.attempt].some(
    (each) => each !== undefined,
  );
  const found = isOnCluster(flags)
    ? await findOnCluster(target, flags, machine, isOfItem)
    : await findStoredRun(target, flags, machine, { includesServer: isOfItem, isExpected: true });
  if (!found) return false;
  const { host, job } = found;
  try {
    const { containers = [] } = job.spec.template.spec ?? {};
    const isContainer = containers?.some(({ name }) => name === word) === true;
    const isNear =
      host.dataDir !== undefined && hasRuns(runDirectory(flags, machine.workingDirectory));
    if (isContainer && !isNear) return false;
    const container = flags.container ?? (isContainer ? word : undefined);
    refuseFlagsOfPods(flags);
    await showRunLogs(
      found,
      {
        ...(word === undefined || isContainer ? {} : { word }),
        ...(flags.index === undefined ? {} : { index: flags.index }),
        ...(flags.item === undefined ? {} : { item: flags.item }),
        ...(container === undefined ? {} : { container }),
        ...(flags.attempt === undefined ? {} : { attempt: readCount("--attempt", flags.attempt) }),
        ...(flags.tail === undefined || flags.tail === "-1" ? {} : { tailLines: readTail(flags) }),
        isFailedOnly: flags.failed === true,
        isFollowing: flags.follow === true,
      },
      machine,
    );
    return true;
  } finally {
    await host.close();
  }
}

async function findOnCluster(
  name: string,
  flags: LogsFlags,
  machine: Machine,
  isOfItem: boolean,
): Promise<FoundRun | undefined> {
  const { findClusterRun } = await import("../runs/cluster/cluster-host.ts");
  const found = await findClusterRun(name, flags, machine, { isOfItem });
  if (found?.job.spec.completionMode === "Indexed" && !isOfPods(flags)) return found;
  await found?.host.close();
  return undefined;
}

/** A cluster knows pods as well: whoever asks for them means them. */
function isOfPods(flags: LogsFlags): boolean {
  return (Object.keys(FLAGS_OF_PODS) as (keyof typeof FLAGS_OF_PODS)[]).some(
    (name) => flags[name] !== undefined,
  );
}

/** What only a server knows of a pod. */
const FLAGS_OF_PODS = {
  previous: "--previous",
  allPods: "--all-pods",
  since: "--since",
  sinceTime: "--since-time",
  timestamps: "--timestamps",
  limitBytes: "--limit-bytes",
  prefix: "--prefix",
} as const;

function refuseFlagsOfPods(flags: LogsFlags): void {
  for (const [name, flag] of Object.entries(FLAGS_OF_PODS)) {
    if (flags[name as keyof typeof FLAGS_OF_PODS] === undefined) continue;
    throw new UsageError(`${flag} is for pods: say pod/NAME or job/NAME while they are there`);
  }
}

function readContainer(second: string | undefined, flags: LogsFlags): string | undefined {
  const container = flags.container ?? second;
  if (container !== undefined && flags.allContainers) {
    throw new UsageError("--all-containers and the name of one exclude each other");
  }
  return container;
}

/** Of many pods a few lines each, unless all were asked for. */
const TAIL_OF_SELECTED = 10;

function readSettings(flags: LogsFlags): LogSettings {
  const { follow = false, previous = false, timestamps = false, selector } = flags;
  const tailLines = readTail(flags);
  const sinceSeconds = flags.since === undefined ? undefined : readSince(flags.since);
  if (sinceSeconds !== undefined && flags.sinceTime !== undefined) {
    throw new UsageError("--since and --since-time exclude each other");
  }
  return {
    query: {
      ...(follow ? { follow: "true" } : {}),
      ...(previous ? { previous: "true" } : {}),
      ...(timestamps ? { timestamps: "true" } : {}),
      ...(tailLines < 0 ? {} : { tailLines }),
      ...(sinceSeconds === undefined ? {} : { sinceSeconds }),
      ...(flags.sinceTime === undefined ? {} : { sinceTime: flags.sinceTime }),
      ...(flags.limitBytes === undefined ? {} : { limitBytes: readLimit(flags.limitBytes) }),
    },
    isFollowing: follow,
    hasPrefix: flags.prefix ?? flags.allPods ?? false,
    ignoresErrors: flags.ignoreErrors ?? false,
    mostAtOnce: readCount("--max-log-requests", flags.maxLogRequests),
    isSelected: selector !== undefined,
  };
}

function readTail({ tail, selector }: LogsFlags): number {
  if (tail === undefined) return selector === undefined ? -1 : TAIL_OF_SELECTED;
  if (/^-?\d{1,15}$/.test(tail) && Number(tail) >= -1) return Number(tail);
  throw new UsageError(`--tail must be a number of lines or -1, not ${JSON.stringify(tail)}`);
}

function readSince(given: string): number {
  const seconds = Math.ceil(readDurationMs("--since", given) / 1000);
  if (seconds > 0) return seconds;
  throw new UsageError(`--since must be above 0, not ${JSON.stringify(given)}`);
}

function readLimit(given: string): number {
  return readCount("--limit-bytes", given);
}

function readCount(flag: string, given: string): number {
  if (/^\d{1,15}$/.test(given) && Number(given) > 0) return Number(given);
  throw new UsageError(`${flag} must be a number above 0, not ${JSON.stringify(given)}`);
}

function refuseTooMany(count: number, { isFollowing, mostAtOnce }: LogSettings): void {
  if (!isFollowing || count <= mostAtOnce) return;
  throw new CommandFailure(
    `error: you are attempting to follow ${count} log streams, but maximum allowed concurrency ` +
      `is ${mostAtOnce}, use --max-log-requests to increase the limit`,
  );
}
