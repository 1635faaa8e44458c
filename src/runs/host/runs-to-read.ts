/** The runs of a place, for commands that look at them or choose among their items. */
import type { Job } from "../../api/generated/batch.ts";
import type { Items } from "../../api/work-list/items.ts";
import type { LedgerReader } from "../../ledger/reader.ts";

export interface RunsToRead {
  readonly namespace: string;
  /** Where what tasks print is kept; absent on a cluster, where their pods are asked. */
  readonly dataDir?: string;
  findJob(name: string): Promise<Job | undefined>;
  /** By name. */
  listJobs(): Promise<readonly Job[]>;
  readonly ledger: LedgerReader;
  /** What the indexes of a Job work on. */
  itemsOf(job: Job): Promise<Items>;
  /** Whether somebody is there that goes on with what is not finished. */
  isLive(): Promise<boolean>;
  /** What somebody who reads of the run should know. */
  remarksOn(job: Job): Promise<readonly string[]>;
  close(): Promise<void>;
}
