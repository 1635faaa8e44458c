/**
 * A cluster as the engine of runs. Nothing of it is ours: it may not answer for a while, and goes
 * on meanwhile.
 *
 * Reading order of the folder: this file; run-chain and run-client (the Jobs of a run as one);
 * read-run with cluster-ledger and cluster-items (what the cluster still knows); find-manager (who
 * looks after Jobs); start-run and retry-run; cluster-logs.
 */
import type { Client } from "../../api/client.ts";
import { type Connection, wholeText } from "../../client/http-connection.ts";
import { remoteClient } from "../../client/remote.ts";
import { type AccessOptions, openConnection } from "../../client/renewing-connection.ts";
import type { LedgerReader } from "../../ledger/reader.ts";
import type { ReachedEngine } from "../host/reached-engine.ts";
import { remoteLedger } from "../host/remote-ledger.ts";
import { clusterLedger } from "./cluster-ledger.ts";
import { isTallyServer } from "./find-manager.ts";
import { hasLedger, readChain, readFormer, readLedger, readPods } from "./read-run.ts";
import { composeWhole } from "./run-chain.ts";
import { showPod } from "./run-client.ts";

export interface ReachedCluster extends ReachedEngine {
  readonly connection: Connection;
  /** Whether it is a server of Tally's own, which keeps a ledger itself. */
  readonly isTally: boolean;
}

export async function reachCluster(
  access: AccessOptions,
  { namespace, nowMs }: { readonly namespace: string; readonly nowMs: () => number },
): Promise<ReachedCluster> {
  const connection = openConnection(access);
  let isTally: boolean;
  try {
    isTally = await isTallyServer(connection);
  } catch (error) {
    connection.close();
    throw error;
  }
  const client = remoteClient(access);
  return {
    client,
    connection,
    isTally,
    ledger: isTally ? remoteLedger(connection) : openClusterLedger(client, namespace, nowMs),
    isOwn: false,
    close: async () => {
      client.close();
      connection.close();
    },
  };
}

/** Whether anybody answers, whatever it is. */
export async function isAnswering(access: AccessOptions): Promise<boolean> {
  const connection = openConnection(access);
  try {
    await wholeText(await connection.send({ method: "GET", path: "/version" }));
    return true;
  } catch {
    return false;
  } finally {
    connection.close();
  }
}

/** The ledger of the runs of a namespace. */
export function openClusterLedger(
  client: Client,
  namespace: string,
  nowMs: () => number,
): LedgerReader {
  return clusterLedger({
    nowMs,
    read: async (name) => {
      const chain = await readChain(client, { namespace, name });
      if (!chain) return undefined;
      const [pods, noted, formerAt] = await Promise.all([
        readPods(client, chain),
        readLedger(client, chain),
        readFormer(client, chain),
      ]);
      const view = { chain, itemAt: () => undefined };
      return {
        job: composeWhole(chain),
        pods: pods.map((pod) => showPod(view, pod)),
        noted,
        isNoted: hasLedger(chain.first),
        ...(formerAt ? { formerAt } : {}),
      };
    },
  });
}
