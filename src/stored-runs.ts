/**
 * The runs of a data directory as they are on disk, for commands that only look: a composition
 * root without an engine. It reads beside an engine that is running as well as where there is none,
 * opens nothing it is not asked for, and never changes anything.
 */
import type { Job } from "./api/generated/batch.ts";
import type { ConfigMap, Secret } from "./api/generated/core.ts";
import { isAnswered } from "./base/socket-address.ts";
import { SOCKET } from "./engine-options.ts";
import type { LedgerReader } from "./ledger/reader.ts";
import { localLedger } from "./server/ledger/local-ledger.ts";
import { openStoreReader, type StoreReader } from "./store/read-store.ts";
import { type Items, openItems } from "./worklist/items.ts";

export interface StoredRuns {
  readonly dataDir: string;
  readonly namespace: string;
  findJob(name: string): Job | undefined;
  /** By name. */
  listJobs(): readonly Job[];
  /** Whose logs are of use, in all namespaces. */
  logOwners(): LogOwners;
  readonly ledger: LedgerReader;
  /** What the indexes of a Job work on. */
  itemsOf(job: Job): Items;
  /** Whether an engine is there that goes on with what is not finished. */
  isLive(): Promise<boolean>;
  close(): Promise<void>;
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
    findJob: (name) => find(JOBS, name) as Job | undefined,
    listJobs: () => reader.list(JOBS, { namespace }).items as readonly Job[],
    logOwners: () => ({
      jobs: reader.list(JOBS).items.map(({ metadata }) => ({
        namespace: metadata.namespace ?? "",
        name: metadata.name ?? "",
      })),
      podUids: new Set(reader.list("pods").items.map(({ metadata }) => metadata.uid ?? "")),
    }),
    ledger: localLedger(reader),
    itemsOf: (job) =>
      openItems(job, ({ kind, name }) =>
        kind === "Secret"
          ? (find("secrets", name) as Secret | undefined)
          : (find("configmaps", name) as ConfigMap | undefined),
      ),
    isLive: () => isAnswered(dataDir, SOCKET),
    close: () => reader.close(),
  };
}
