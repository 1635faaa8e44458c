/** Removes runs of a data directory, with their objects and logs. */
import type { Job } from "../../api/generated/batch.ts";
import type { Machine } from "../../command/machine.ts";
import { storyPages } from "../../ledger/story-pages.ts";
import type { FilesHost } from "../host/files-host.ts";
import { openToChange } from "../host/open-host.ts";
import { type LogFiles, removeLogFiles } from "../show/remove-logs.ts";
import { deleteRun } from "../submit/delete-run.ts";

export interface RemovedRun {
  readonly name: string;
  readonly logs: LogFiles;
}

export interface RunRemoval {
  readonly jobs: readonly Job[];
  /** Only their logs are removed. */
  readonly isLogsOnly?: boolean;
  /** Only counts. */
  readonly isDry?: boolean;
}

/**
 * Logs are removed last, so that a run that could not be removed keeps its logs. The host is
 * closed: the store cannot be open for reading while this process opens it for writing.
 */
export async function removeRuns(
  host: FilesHost,
  { jobs, isLogsOnly = false, isDry = false }: RunRemoval,
  machine: Machine,
): Promise<readonly RemovedRun[]> {
  if (jobs.length === 0) return [];
  const owners = new Map<string, string>();
  for (const { metadata } of jobs) {
    for (const uid of await podUids(host, metadata.name ?? ""))
      owners.set(uid, metadata.name ?? "");
  }
  await host.close();
  if (!isLogsOnly && !isDry) await removeStored(host.dataDir, jobs, machine);
  const removed: RemovedRun[] = [];
  for (const { metadata } of jobs) {
    const { name = "" } = metadata;
    const isMeant = ({ podUid }: { readonly podUid: string }) => owners.get(podUid) === name;
    const logs = await removeLogFiles({ dataDir: host.dataDir, isMeant, isDry });
    removed.push({ name, logs });
  }
  return removed;
}

async function podUids(
  { ledger, namespace }: FilesHost,
  jobName: string,
): Promise<ReadonlySet<string>> {
  const uids = new Set<string>();
  for await (const stories of storyPages(ledger, { namespace, jobName })) {
    for (const { attempts } of stories) for (const { podUID } of attempts) uids.add(podUID);
  }
  return uids;
}

async function removeStored(
  dataDir: string,
  jobs: readonly Job[],
  machine: Machine,
): Promise<void> {
  const host = await openToChange({ data: dataDir }, machine);
  try {
    const isLive = await host.isLive();
    for (const job of jobs) await deleteRun(host.client, job, isLive);
  } finally {
    await host.close();
  }
}
