/** Opens the host that the flags of a command choose, and finds a run there. */
import type { Job } from "../../api/generated/batch.ts";
import { CommandFailure } from "../../command/command-failure.ts";
import type { Machine } from "../../command/machine.ts";
import { shellWord } from "../../command/shell-word.ts";
import { suggestion } from "../list/near-words.ts";
import { findDirectory, hasRuns, runDirectory, shownPath } from "./data-directory.ts";
import { openEngineHost } from "./engine-host.ts";
import type { FilesHost } from "./files-host.ts";
import { endIfLost } from "./lost-directory.ts";
import { prepareRunEngine, startStoringEngine } from "./own-engine.ts";
import {
  DEFAULT_NAMESPACE,
  type EngineHost,
  type FoundRun,
  type HostFlags,
  isOnCluster,
  type RunHost,
} from "./run-host.ts";

/** The host on which runs can run. Its data directory is created if it is missing. */
export async function openToRun(flags: HostFlags, machine: Machine): Promise<EngineHost> {
  if (isOnCluster(flags)) return openOnCluster(flags, machine);
  const dataDir = runDirectory(flags, machine.workingDirectory);
  const start = await prepareRunEngine(dataDir);
  const onClose = endIfLost(dataDir, machine);
  const { namespace = DEFAULT_NAMESPACE } = flags;
  try {
    return await openEngineHost({ dataDir, namespace, start, runsItems: true, onClose });
  } catch (error) {
    onClose();
    throw error;
  }
}

/** For changes to runs. Without a running engine they take effect when the next one starts. */
export async function openToChange(flags: HostFlags, machine: Machine): Promise<EngineHost> {
  if (isOnCluster(flags)) return openOnCluster(flags, machine, FAILED);
  const dataDir = runDirectory(flags, machine.workingDirectory);
  if (!hasRuns(dataDir)) throw new Error(`there are no runs in ${dataDir}`);
  const { namespace = DEFAULT_NAMESPACE } = flags;
  const start = () => startStoringEngine(dataDir);
  return openEngineHost({ dataDir, namespace, start, runsItems: false });
}

export async function openToRead(flags: HostFlags, machine: Machine): Promise<RunHost> {
  return isOnCluster(flags) ? openOnCluster(flags, machine, FAILED) : openFiles(flags, machine);
}

const FAILED = 1;

/** What is needed for clusters is loaded only if one is named. */
async function openOnCluster(flags: HostFlags, machine: Machine, exitCode?: number) {
  const { findCluster, openClusterHost } = await import("../cluster/cluster-host.ts");
  return openClusterHost(await findCluster(flags, machine), machine, exitCode);
}

export async function openFiles(flags: HostFlags, machine: Machine): Promise<FilesHost> {
  const dataDir = findDirectory(flags, machine);
  const { openFilesHost } = await import("./files-host.ts");
  const host = await openFilesHost(dataDir, flags.namespace ?? DEFAULT_NAMESPACE);
  if (host) return host;
  const shown = shownPath(dataDir, machine.workingDirectory) || ".";
  throw new CommandFailure(`error: there are no runs in ${shown} (start one with "tally run")`);
}

export async function getRun(host: RunHost, name: string): Promise<Job> {
  return (await host.findRun(name)) ?? Promise.reject(unknownRun(name, await namesOf(host)));
}

async function namesOf(host: RunHost): Promise<readonly string[]> {
  return (await host.listRuns()).map(({ metadata }) => metadata.name ?? "");
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

/** The flags that another command needs to find the same run, with a space in front of each. */
export function sameFlags({ data, kubeconfig, context, namespace }: HostFlags): string {
  const given = { "--data": data, "--kubeconfig": kubeconfig, "--context": context };
  const all = Object.entries({ ...given, "-n": namespace });
  const typed = all.flatMap(([flag, value]) =>
    value === undefined ? [] : [` ${flag} ${shellWord(value)}`],
  );
  return typed.join("");
}

/** To stderr: stdout may be read by a program. */
export async function printRemarks(host: RunHost, job: Job, machine: Machine): Promise<void> {
  for (const remark of await host.remarks(job)) machine.writeError(`tally: ${remark}\n`);
}

export interface RunSearch {
  /** Whether the runs of a `tally up` elsewhere count. Otherwise its server is asked for them. */
  readonly includesServer?: boolean;
  /** Whether the name must be that of a run if the directory has runs. */
  readonly isExpected: boolean;
}

/** For commands whose argument may also be an object of a server: the run of a data directory. */
export async function findStoredRun(
  name: string,
  flags: HostFlags,
  machine: Machine,
  { includesServer = false, isExpected }: RunSearch,
): Promise<FoundRun<FilesHost> | undefined> {
  if (isOnCluster(flags)) return undefined;
  const own = runDirectory(flags, machine.workingDirectory);
  const dataDir = includesServer ? findDirectory(flags, machine) : own;
  if (!hasRuns(dataDir)) return undefined;
  const { openFilesHost } = await import("./files-host.ts");
  const host = await openFilesHost(dataDir, flags.namespace ?? DEFAULT_NAMESPACE);
  const job = await host?.findRun(name);
  if (host && job) return { host, job };
  const known = host ? await namesOf(host) : [];
  await host?.close();
  const isElsewhere = machine.environment["KUBECONFIG"] !== undefined || dataDir !== own;
  if (isElsewhere || !isExpected) return undefined;
  throw unknownRun(name, known);
}

/** Flags of a command that choose objects otherwise than by their names. */
export interface SelectionFlags {
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly all?: boolean;
  readonly allNamespaces?: boolean;
  readonly filename?: readonly string[];
}

/** Whether the arguments of a command can be names of runs. */
export function areBareNames(names: readonly string[], flags: SelectionFlags): boolean {
  const { selector, fieldSelector, all, allNamespaces, filename } = flags;
  if ([selector, fieldSelector, all, allNamespaces, filename].some(Boolean)) return false;
  return names.length > 0 && names.every((name) => !name.includes("/"));
}
