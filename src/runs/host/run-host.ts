/**
 * Where runs live: in a data directory of this machine, or on a cluster.
 *
 * Reading order of the folder: this file; engine-host (an engine in this process or in another
 * one), with own-engine and other-engine; files-host (the files of a data directory); open-host,
 * which chooses by the flags of a command. The host of a cluster is cluster/cluster-host.
 */
import type { Client } from "../../api/client.ts";
import type { Job } from "../../api/generated/batch.ts";
import type { Items } from "../../api/work-list/items.ts";
import type { LedgerReader } from "../../ledger/reader.ts";
import type { AttemptLogs } from "../show/attempt-logs.ts";

/** Runs that can be read. */
export interface RunHost {
  readonly namespace: string;
  /** The data directory; absent for a cluster. */
  readonly dataDir?: string;
  readonly ledger: LedgerReader;
  readonly logs: AttemptLogs;
  /** A run as one Job. */
  findRun(name: string): Promise<Job | undefined>;
  /** Sorted by name. */
  listRuns(): Promise<readonly Job[]>;
  /** The items that the indexes of a Job stand for. */
  items(job: Job): Promise<Items>;
  /** Whether unfinished runs make progress: an engine is running. */
  isLive(): Promise<boolean>;
  /** What the reader of a run should know about its data. */
  remarks(job: Job): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Runs that can be changed as well, and followed: through an engine, or a cluster. */
export interface EngineHost extends RunHost {
  readonly kind: "own engine" | "other process" | "cluster";
  readonly client: Client;
  /** The client for one run, which it shows as the Job of that name. */
  clientOf(run: string): Promise<Client>;
  /** Settles when pods can start, rejects if they never can; absent if they can already. */
  readonly started?: Promise<void> | undefined;
  /** After the connection is lost. From then on `client` and `ledger` are those of the next one. */
  reconnect(): Promise<void>;
}

export interface FoundRun<T extends RunHost = RunHost> {
  /** To be closed by the caller. */
  readonly host: T;
  readonly job: Job;
}

/** The flags that choose a host. */
export interface HostFlags {
  readonly data?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
}

/** A cluster is used only if one is named. */
export function isOnCluster({ kubeconfig, context }: HostFlags): boolean {
  return kubeconfig !== undefined || context !== undefined;
}

export const DEFAULT_NAMESPACE = "default";
