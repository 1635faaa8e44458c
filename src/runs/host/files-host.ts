/**
 * The runs of a data directory as its files have them, for commands that only read. Works beside a
 * running engine as well as without one, and never changes anything.
 */
import type { Job } from "../../api/generated/batch.ts";
import { openItems } from "../../api/work-list/items.ts";
import type { ListObject } from "../../api/work-list/stored-list.ts";
import { isAnswered } from "../../base/socket-address.ts";
import { SOCKET } from "../../engine-options.ts";
import { openStoredData, type StoredData } from "../../stored-data.ts";
import { fileLogs } from "../show/file-logs.ts";
import type { RunHost } from "./run-host.ts";

export interface FilesHost extends RunHost {
  readonly dataDir: string;
  /** The Jobs and pods of all namespaces, whose logs are still needed. */
  logOwners(): LogOwners;
}

export interface LogOwners {
  readonly jobs: readonly { readonly namespace: string; readonly name: string }[];
  readonly podUids: ReadonlySet<string>;
}

/** Undefined if nothing was ever run there. */
export async function openFilesHost(
  dataDir: string,
  namespace: string,
): Promise<FilesHost | undefined> {
  const data = await openStoredData(dataDir);
  return data && filesHost(data, dataDir, namespace);
}

const JOBS = "jobs.batch";

function filesHost(data: StoredData, dataDir: string, namespace: string): FilesHost {
  return {
    dataDir,
    namespace,
    ledger: data.ledger,
    logs: fileLogs(dataDir),
    findRun: async (name) => data.get({ resource: JOBS, namespace, name }) as Job | undefined,
    listRuns: async () => data.list(JOBS, { namespace }).items as readonly Job[],
    items: async (job) =>
      openItems(job, ({ kind, name }) => {
        const resource = kind === "Secret" ? "secrets" : "configmaps";
        return data.get({ resource, namespace, name }) as ListObject | undefined;
      }),
    isLive: () => isAnswered(dataDir, SOCKET),
    remarks: async () => [],
    logOwners: () => ({
      jobs: data.list(JOBS).items.map(({ metadata }) => ({
        namespace: metadata.namespace ?? "",
        name: metadata.name ?? "",
      })),
      podUids: new Set(data.list("pods").items.map(({ metadata }) => metadata.uid ?? "")),
    }),
    close: () => data.close(),
  };
}
