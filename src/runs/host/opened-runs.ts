/** The runs that a command changes: those of a data directory, or of a cluster. */
import type { Client } from "../../api/client.ts";
import type { Machine } from "../../command/machine.ts";
import type { PlaceFlags } from "./on-cluster.ts";
import { isOnCluster } from "./on-cluster.ts";

export interface ChangedRun {
  /** For which the run is the Job of its name. */
  readonly client: Client;
  readonly namespace: string;
  readonly close: () => Promise<void>;
}

export async function openToChange(
  name: string,
  flags: PlaceFlags,
  machine: Machine,
): Promise<ChangedRun> {
  if (!isOnCluster(flags)) {
    const { openRuns } = await import("./open-runs.ts");
    const { client, close } = await openRuns(flags, machine);
    return { client, namespace: flags.namespace ?? "default", close };
  }
  const { findCluster, openCluster } = await import("../cluster/cluster-access.ts");
  const { readChain } = await import("../cluster/read-run.ts");
  const { runClient } = await import("../cluster/run-client.ts");
  const cluster = await findCluster(flags, machine);
  const { client, close } = await openCluster(cluster, FAILED);
  const { namespace } = cluster;
  const chain = await readChain(client, { namespace, name });
  const view = chain ? runClient(client, { chain, itemAt: () => undefined }) : client;
  return { client: view, namespace, close };
}

const FAILED = 1;
