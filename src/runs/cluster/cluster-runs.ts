/** The runs of a cluster, for commands that look at them or choose among their items. */
import type { Connection } from "../../client/http-connection.ts";
import type { Machine } from "../../command/machine.ts";
import type { PlaceFlags } from "../host/on-cluster.ts";
import type { RunsToRead } from "../host/runs-to-read.ts";
import { findCluster, openCluster } from "./cluster-access.ts";
import { readItems } from "./cluster-items.ts";
import { readChain, readLedger, readRunJobs } from "./read-run.ts";
import { composeWhole, findChain, runNames } from "./run-chain.ts";

const FAILED = 1;

export interface ClusterRuns extends RunsToRead {
  readonly connection: Connection;
}

export async function openClusterRuns(flags: PlaceFlags, machine: Machine): Promise<ClusterRuns> {
  const cluster = await findCluster(flags, machine);
  const { client, connection, ledger, isTally, close } = await openCluster(cluster, FAILED);
  const { namespace } = cluster;
  return {
    namespace,
    connection,
    findJob: async (name) => {
      const chain = await readChain(client, { namespace, name });
      return chain && composeWhole(chain);
    },
    listJobs: async () => {
      const all = await readRunJobs(client, namespace);
      return runNames(all).flatMap((name) => {
        const chain = findChain(all, name);
        return chain ? [composeWhole(chain)] : [];
      });
    },
    ledger,
    itemsOf: (job) => readItems(client, job),
    isLive: async () => true,
    remarksOn: async ({ metadata }) => {
      if (isTally) return [];
      const chain = await readChain(client, { namespace, name: metadata.name ?? "" });
      const noted = chain && (await readLedger(client, chain));
      if (!noted) return [NO_LEDGER];
      return noted.isCut ? [CUT_LEDGER] : [];
    },
    close,
  };
}

const NO_LEDGER =
  "there is no ledger of this run, which tally controller would keep: attempts are those of pods " +
  "that are still there";
const CUT_LEDGER =
  "the ledger of this run is full: some attempts are known only where their pods are still there";
