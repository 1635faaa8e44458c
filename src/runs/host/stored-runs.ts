/**
 * The runs of a data directory as they are on disk, for commands that only read. Works beside a
 * running engine as well as without one, and never changes anything.
 */
import type { Job } from "../../api/generated/batch.ts";
import type { ConfigMap, Secret } from "../../api/generated/core.ts";
import { openItems } from "../../api/work-list/items.ts";
import { isAnswered } from "../../base/socket-address.ts";
import { SOCKET } from "../../engine-options.ts";
import { openStoredData, type StoredData } from "../../stored-data.ts";
import type { RunsToRead } from "./runs-to-read.ts";

export interface StoredRuns extends RunsToRead {
  readonly dataDir: string;
  /** Whose logs are of use, in all namespaces. */
  logOwners(): LogOwners;
}

export interface LogOwners {
  readonly jobs: readonly { readonly namespace: string; readonly name: string }[];
  readonly podUids: ReadonlySet<string>;
}

/** Undefined where nothing was ever run. */
export async function openStoredRuns(
  dataDir: string,
  namespace: string,
): Promise<StoredRuns | undefined> {
  const reader = await openStoredData(dataDir);
  return reader && storedRuns(reader, dataDir, namespace);
}

const JOBS = "jobs.batch";

function storedRuns(reader: StoredData, dataDir: string, namespace: string): StoredRuns {
  const find = (resource: string, name: string) => reader.get({ resource, namespace, name });
  return {
    dataDir,
    namespace,
    findJob: async (name) => find(JOBS, name) as Job | undefined,
    listJobs: async () => reader.list(JOBS, { namespace }).items as readonly Job[],
    logOwners: () => ({
      jobs: reader.list(JOBS).items.map(({ metadata }) => ({
        namespace: metadata.namespace ?? "",
        name: metadata.name ?? "",
      })),
      podUids: new Set(reader.list("pods").items.map(({ metadata }) => metadata.uid ?? "")),
    }),
    ledger: reader.ledger,
    itemsOf: async (job) =>
      openItems(job, ({ kind, name }) =>
        kind === "Secret"
          ? (find("secrets", name) as Secret | undefined)
          : (find("configmaps", name) as ConfigMap | undefined),
      ),
    isLive: () => isAnswered(dataDir, SOCKET),
    remarksOn: async () => [],
    close: () => reader.close(),
  };
}
