/**
 * The runs of a data directory, for the commands that come after `tally run`: what is asked goes to
 * the engine of a run that is going on or of `tally up`, and where there is none the store is
 * opened for a moment, with nothing that runs, retries or listens.
 *
 *     const runs = await openRuns(flags, machine);
 *     try {
 *       const job = await runs.client.get(jobs, { namespace: "default", name });
 *       const page = await runs.ledger.list({ namespace: "default", jobName: name });
 *     } finally {
 *       await runs.close();
 *     }
 *
 * Without a live engine a write is stored and takes effect when the next one starts.
 */
import type { Client } from "../../api/client.ts";
import { silentLog } from "../../base/log.ts";
import type { CoreOptions } from "../../engine-options.ts";
import type { LedgerReader } from "../../ledger/reader.ts";
import { reachEngine, type StartCoreEngine } from "./reach-engine.ts";
import { type DataFlags, hasRuns, runDirectory } from "./run-directory.ts";

export interface Runs {
  readonly dataDir: string;
  readonly client: Client;
  readonly ledger: LedgerReader;
  /** Whether an engine is there that carries out what is written. */
  readonly isLive: boolean;
  close(): Promise<void>;
}

/** The range of addresses of Services: nothing of a run depends on it. */
export const SERVICE_CIDR = "127.128.0.0/16";

export async function openRuns(
  flags: DataFlags,
  machine: { readonly workingDirectory: string },
  startEngine: StartCoreEngine = startRealEngine,
): Promise<Runs> {
  const dataDir = runDirectory(flags, machine.workingDirectory);
  if (!hasRuns(dataDir)) throw new Error(`there are no runs in ${dataDir}`);
  const options: CoreOptions = {
    dataDir,
    controllers: "none",
    serviceCidr: SERVICE_CIDR,
    log: silentLog,
  };
  const { client, ledger, isOwn, close } = await reachEngine({
    dataDir,
    start: () => startEngine(options),
  });
  return { dataDir, client, ledger, isLive: !isOwn, close };
}

/** Loaded when needed: most commands find an engine that runs, and are clients. */
async function startRealEngine(options: CoreOptions) {
  const { startCoreEngine } = await import("../../engine.ts");
  return startCoreEngine(options);
}
