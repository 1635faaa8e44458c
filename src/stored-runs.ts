/**
 * The runs of a data directory as they are on disk, for commands that only look: a composition
 * root without an engine. It reads beside an engine that is running as well as where there is none,
 * opens nothing it is not asked for, and never changes anything.
 */
import type { Job } from "./api/generated/batch.ts";
import type { ConfigMap, Secret } from "./api/generated/core.ts";
import { isAnswered } from "./base/socket-address.ts";
import { SOCKET } from "./engine-options.ts";
import type { RunsToRead } from "./run/runs-to-read.ts";
import { localLedger } from "./server/ledger/local-ledger.ts";
import { openStoreReader, type StoreReader } from "./store/read-store.ts";
import { openItems } from "./worklist/items.ts";

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
  const reader = await openStoreReader(dataDir);
  return reader && storedRuns(reader, dataDir, namespace);
}

const JOBS = "jobs.batch";

function storedRuns(reader: StoreReader, dataDir: string, namespace: string): StoredRuns {
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
    ledger: localLedger(reader),
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
