/** Whether a name that could be of a server's Job is that of a run in a data directory. */
import type { Job } from "../../api/generated/batch.ts";
import type { Machine } from "../../command/machine.ts";
import type { PlaceFlags } from "./on-cluster.ts";
import { hasRuns, runDirectory } from "./run-directory.ts";
import { runsDirectory, unknownRun } from "./stored.ts";
import type { StoredRuns } from "./stored-runs.ts";

export interface FoundRun {
  /** To be closed. */
  readonly runs: StoredRuns;
  readonly job: Job;
}

export interface Finding {
  /** Whether those of a `tally up` elsewhere count: a server is asked for them otherwise. */
  readonly includesServer?: boolean;
  /** Whether it can be nothing else in a directory that has runs. */
  readonly isExpected: boolean;
}

export async function findRun(
  name: string,
  flags: PlaceFlags,
  machine: Machine,
  { includesServer = false, isExpected }: Finding,
): Promise<FoundRun | undefined> {
  if (flags.kubeconfig !== undefined || flags.context !== undefined) return undefined;
  const own = runDirectory(flags, machine.workingDirectory);
  const dataDir = includesServer ? runsDirectory(flags, machine) : own;
  if (!hasRuns(dataDir)) return undefined;
  const { openStoredRuns } = await import("./stored-runs.ts");
  const runs = await openStoredRuns(dataDir, flags.namespace ?? "default");
  const job = await runs?.findJob(name);
  if (runs && job) return { runs, job };
  const known = ((await runs?.listJobs()) ?? []).map(({ metadata }) => metadata.name ?? "");
  await runs?.close();
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
