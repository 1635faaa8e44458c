/**
 * The Job controller in process: only the server's verbs on a store that syncs to disk, so that the
 * CPU time of the process is theirs.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "../src/api/client.ts";
import { systemClock } from "../src/base/clock.ts";
import { silentLog } from "../src/base/log.ts";
import { Metrics } from "../src/base/metrics.ts";
import { systemRandom } from "../src/base/random.ts";
import { localClient } from "../src/client/local.ts";
import { jobController } from "../src/controllers/job/job-controller.ts";
import type { RunningController } from "../src/controllers/runtime/controller.ts";
import { registry } from "../src/kinds/registry.ts";
import { ledgerNotes } from "../src/ledger/ledger-notes.ts";
import { openAdmission } from "../src/server/admission/admission.ts";
import { bootstrap } from "../src/server/bootstrap.ts";
import { INDEXES } from "../src/server/indexes.ts";
import { openStore } from "../src/store/open.ts";

export interface JobEngine {
  readonly client: Client;
  /** Jobs and pods created before are found as after a restart. */
  startController(): Promise<void>;
  /** Resolves when everything written so far is on disk. */
  synced(): Promise<void>;
}

/** Opens the engine for the duration of the task. */
export async function withJobEngine<T>(task: (engine: JobEngine) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), "tally-bench-jobs-"));
  const store = await openStore({
    dataDir,
    indexes: INDEXES,
    notesOf: (change) => ledgerNotes(change, systemClock.nowMs()),
  });
  const admission = openAdmission(store, { serviceCidr: "10.96.0.0/16" });
  const shared = { clock: systemClock, random: systemRandom, log: silentLog };
  const server = { store, admission, registry, ...shared };
  bootstrap(server, { address: "127.0.0.1", port: 6443 });
  const client = localClient(server);
  let controller: RunningController | undefined;
  try {
    return await task({
      client,
      startController: async () => {
        controller = await jobController().start({ client, ...shared, metrics: new Metrics() });
      },
      synced: () => store.durable(store.revision),
    });
  } finally {
    controller?.stop();
    admission.close();
    await store.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}
