/** Removes runs of a data directory: what is stored of them, and their logs. */
import type { Job } from "../../api/generated/batch.ts";
import type { Machine } from "../../command/machine.ts";
import { openRuns } from "../host/open-runs.ts";
import type { StoredRuns } from "../host/stored-runs.ts";
import { type LogFiles, removeLogFiles } from "../show/run-logs-on-disk.ts";
import { deleteRun } from "../submit/delete-run.ts";

export interface RemovedRun {
  readonly name: string;
  readonly logs: LogFiles;
}

export interface RunRemoval {
  readonly jobs: readonly Job[];
  /** The runs themselves stay. */
  readonly isLogsOnly?: boolean;
  /** Nothing is removed, only counted. */
  readonly isDry?: boolean;
}

/**
 * Logs go last: those of a run that could not be removed are still of use. What was opened to read
 * is closed: the store is opened to write.
 */
export async function removeRuns(
  runs: StoredRuns,
  { jobs, isLogsOnly = false, isDry = false }: RunRemoval,
  machine: Machine,
): Promise<readonly RemovedRun[]> {
  if (jobs.length === 0) return [];
  const owners = new Map<string, string>();
  for (const { metadata } of jobs) {
    for (const uid of await podUids(runs, metadata.name ?? ""))
      owners.set(uid, metadata.name ?? "");
  }
  await runs.close();
  if (!isLogsOnly && !isDry) await removeStored(runs.dataDir, jobs, machine);
  const removed: RemovedRun[] = [];
  for (const { metadata } of jobs) {
    const { name = "" } = metadata;
    const isMeant = ({ podUid }: { readonly podUid: string }) => owners.get(podUid) === name;
    const logs = await removeLogFiles({ dataDir: runs.dataDir, isMeant, isDry });
    removed.push({ name, logs });
  }
  return removed;
}

async function podUids(runs: StoredRuns, jobName: string): Promise<ReadonlySet<string>> {
  const uids = new Set<string>();
  let from: string | undefined;
  do {
    const page = await runs.ledger.list(
      { namespace: runs.namespace, jobName },
      from === undefined ? {} : { from },
    );
    for (const { attempts } of page.items) for (const { podUID } of attempts) uids.add(podUID);
    from = page.next;
  } while (from !== undefined);
  return uids;
}

async function removeStored(
  dataDir: string,
  jobs: readonly Job[],
  machine: Machine,
): Promise<void> {
  const { client, isLive, close } = await openRuns({ data: dataDir }, machine);
  try {
    for (const job of jobs) await deleteRun(client, job, isLive);
  } finally {
    await close();
  }
}
