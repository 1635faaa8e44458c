/** An engine as a run deals with it, be it its own or that of another process. */
import type { Client } from "../../api/client.ts";
import type { LedgerReader } from "../../ledger/reader.ts";

export interface ReachedEngine {
  readonly client: Client;
  readonly ledger: LedgerReader;
  /** Whether it is in this process, and ends with it. */
  readonly isOwn: boolean;
  /** Whether another process may take its place when it goes: then it can be reached again. */
  readonly isPassing?: boolean;
  /** Settles when pods run, where that is still to come; rejects when they cannot. */
  readonly begun?: Promise<void>;
  close(): Promise<void>;
}
