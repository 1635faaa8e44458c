/**
 * A composition root for commands that only read: the objects and the ledger of a data directory as
 * they are on disk, beside a running engine or without one. It never changes anything.
 */
import type { LedgerReader } from "./ledger/reader.ts";
import { localLedger } from "./server/ledger/local-ledger.ts";
import { openStoreReader, type StoreReader } from "./store/read-store.ts";

export interface StoredData extends StoreReader {
  readonly ledger: LedgerReader;
}

/** Undefined for a directory in which nothing was ever stored. */
export async function openStoredData(dataDir: string): Promise<StoredData | undefined> {
  const reader = await openStoreReader(dataDir);
  return reader && { ...reader, ledger: localLedger(reader) };
}
